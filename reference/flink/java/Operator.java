import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventHandler;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.SourceOperatorStreamTask;

/**
 * What a vertex does that is no source: it passes records on, keeps state of a kind, and may be a sink.
 *
 * <p>If it {@code keeps} records, what it has emitted at its end stays in its state, which is a mistake of an author.
 *
 * <p>If it {@code opens} transactions after its end, each later snapshot has one without records.
 *
 * <p>A two-phase sink keeps the records of a transaction until a snapshot, keeps the transaction in its state, and
 * writes a file of the transaction when the checkpoint is confirmed. To write a file again changes nothing. Until
 * then another file says that the transaction is prepared. A new attempt aborts the transactions that its checkpoint
 * does not have.
 */
final class Operator extends AbstractStreamOperator<String> implements OneInputStreamOperator<String, String>, OperatorEventHandler, Ends {
    private static final long serialVersionUID = 1;
    private static final String BETWEEN = "\n";

    private final String vertex;
    private final String kind;
    private final String sink;
    private final boolean keeps;
    private final boolean opens;
    private transient List<String> open;
    private transient List<String> kept;
    private transient TreeMap<Long, String> prepared;
    private transient ListState<String> transactions;
    private transient ListState<String> state;
    private transient int transaction;
    private transient int absorbed;
    private transient int mails;
    private transient boolean hasFinished;

    Operator(String vertex, String kind, String sink, boolean keeps, boolean opens) {
        this.vertex = vertex;
        this.kind = kind;
        this.sink = sink;
        this.keeps = keeps;
        this.opens = opens;
    }

    /** What the factory of an operator with a coordinator calls. */
    void begin(StreamOperatorParameters<String> parameters) {
        setup(parameters.getContainingTask(), parameters.getStreamConfig(), parameters.getOutput());
        parameters.getOperatorEventDispatcher().registerEventHandler(parameters.getStreamConfig().getOperatorID(), this);
    }

    @Override
    public void handleOperatorEvent(OperatorEvent event) {
        try {
            process(((Assigner.Assigned) event).split);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        int subtask = getContainingTask().getEnvironment().getTaskInfo().getIndexOfThisSubtask();
        Controls.runs(vertex, subtask, getContainingTask().getEnvironment());
        Controls.hasMails(vertex, subtask, this::putMail);
        open = new ArrayList<>();
        kept = new ArrayList<>();
        prepared = new TreeMap<>();
        ListStateDescriptor<String> held = new ListStateDescriptor<>("kept", Types.STRING);
        state = kind.equals("union-state") ? context.getOperatorStateStore().getUnionListState(held) : context.getOperatorStateStore().getListState(held);
        transactions = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("transactions", Types.STRING));
        for (String each : transactions.get()) {
            commit(each);
        }
        if (sink.equals("two-phase")) {
            abortOthers();
        }
        if (kind.equals("buffering")) {
            state.get().forEach(kept::add);
        }
    }

    @Override
    public void processElement(StreamRecord<String> record) throws Exception {
        if (!record.getValue().equals(Controls.FILLER)) {
            process(record.getValue());
        } else if (getContainingTask() instanceof SourceOperatorStreamTask) {
            output.collect(record); // the channels are behind this task
        } else {
            Controls.absorbs(getContainingTask().getEnvironment());
            absorb();
        }
    }

    /** Here the thread of a task behind a source is held that fills its channels. */
    private void absorb() {
        absorbed++;
    }

    /** Puts a mail of the operator's own into the mailbox: when it has run, more urgent ones run. */
    private void putMail() {
        var executor = getContainingTask().getMailboxExecutorFactory().createExecutor(getOperatorConfig().getChainIndex());
        executor.execute(() -> {
            runMail();
            while (executor.tryYield()) {}
        }, "a mail of the driver's job");
    }

    /** Here the thread of the task is held. */
    private void runMail() {
        mails++;
    }

    private void process(String value) throws IOException {
        if (kind.equals("buffering")) {
            kept.add(value);
        } else {
            pass(value);
        }
    }

    private void pass(String value) throws IOException {
        switch (sink) {
            case "none" -> output.collect(new StreamRecord<>(value));
            case "at-least-once" -> show(value);
            default -> open.add(value);
        }
    }

    private void show(String value) throws IOException {
        Files.writeString(file("written"), value + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    public void finish() throws Exception {
        hasFinished = true;
        for (String each : kept) {
            pass(each);
        }
        if (!keeps) {
            kept.clear();
        }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        if (!open.isEmpty() || opens && hasFinished && sink.equals("two-phase")) {
            String name = getContainingTask().getEnvironment().getExecutionId() + "-" + transaction++;
            Files.createFile(file(name + ".prepared"));
            prepared.put(context.getCheckpointId(), name + BETWEEN + String.join(BETWEEN, open));
            open.clear();
        }
        transactions.update(new ArrayList<>(prepared.values()));
        state.update(kind.equals("union-state") ? List.of("state") : kept);
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) throws Exception {
        super.notifyCheckpointComplete(checkpoint);
        var confirmed = prepared.headMap(checkpoint, true);
        for (String each : confirmed.values()) {
            commit(each);
        }
        confirmed.clear();
    }

    private void commit(String text) throws IOException {
        String[] parts = text.split(BETWEEN, 2);
        Controls.commit(file(""), parts[0], parts[1]);
        Files.deleteIfExists(file(parts[0] + ".prepared"));
    }

    /** Aborts the transactions of former attempts that this attempt has not committed. */
    private void abortOthers() throws IOException {
        try (var left = Files.newDirectoryStream(file(""), "*.prepared")) {
            for (Path each : left) {
                Files.delete(each);
            }
        }
    }

    private Path file(String name) throws IOException {
        Path folder = Controls.folder.resolve("sinks").resolve(vertex + "." + getContainingTask().getEnvironment().getTaskInfo().getIndexOfThisSubtask());
        return Files.createDirectories(folder).resolve(name);
    }
}
