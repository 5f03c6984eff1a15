import java.lang.reflect.Field;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/** As {@link HeldSource}, with a thread of its own that emits: a source of the old interface. */
final class ThreadSource extends Legacy implements CheckpointedFunction {
    private static final long serialVersionUID = 1;
    private final String vertex;
    private transient Controls controls;
    private transient String name;
    private transient ListState<Long> state;
    private transient volatile boolean running;
    private transient long emitted;

    ThreadSource(String vertex) {
        this.vertex = vertex;
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        Environment environment = environment();
        int subtask = environment.getTaskInfo().getIndexOfThisSubtask();
        Controls.runs(vertex, subtask, environment);
        controls = Controls.of(vertex, subtask);
        controls.begins();
        name = vertex + "." + subtask;
        running = true;
        state = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("emitted", Types.LONG));
        for (long each : state.get()) {
            emitted = each;
        }
        controls.beginsAt(emitted);
    }

    @Override
    public void run(SourceContext<String> context) throws Exception {
        while (running && (controls.emits(emitted) || !controls.ends())) {
            if (controls.emits(emitted)) {
                Controls.emit(vertex, () -> collect(context));
            } else {
                Thread.sleep(1);
            }
        }
    }

    /** A thread that is held before it emits does not hold the lock. */
    private void collect(SourceContext<String> context) {
        synchronized (context.getCheckpointLock()) {
            context.collect(name + "#" + emitted++);
        }
    }

    /** The environment of the task, which a field of the context has. */
    private Environment environment() throws IllegalAccessException {
        for (Class<?> type = getRuntimeContext().getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getType() == Environment.class) {
                    field.setAccessible(true);
                    return (Environment) field.get(getRuntimeContext());
                }
            }
        }
        throw new IllegalStateException("the context of a source does not lead to its task");
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        state.update(List.of(emitted));
    }

    @Override
    public void cancel() {
        running = false;
    }
}
