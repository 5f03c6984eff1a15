import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;

/** A source whose subtasks emit numbered records when they are told to, and end when they are told to. */
final class HeldSource implements Source<String, HeldSource.Position, Integer> {
    private static final long serialVersionUID = 1;
    private final String vertex;

    HeldSource(String vertex) {
        this.vertex = vertex;
    }

    /** How many records a subtask has emitted. */
    static final class Position implements SourceSplit {
        final int subtask;
        final long emitted;

        Position(int subtask, long emitted) {
            this.subtask = subtask;
            this.emitted = emitted;
        }

        @Override
        public String splitId() {
            return String.valueOf(subtask);
        }
    }

    private final class Reader implements SourceReader<String, Position> {
        private final String name = vertex;
        private final int subtask;
        private final Environment environment;
        private final Controls controls;
        private long emitted;

        Reader(int subtask, Environment environment) {
            this.subtask = subtask;
            this.environment = environment;
            this.controls = Controls.of(vertex, subtask);
            controls.begins();
        }

        @Override
        public InputStatus pollNext(ReaderOutput<String> output) {
            if (controls.takes("call")) {
                call(output);
                output.collect(Calls.of(vertex, subtask)); // waits until the first one has its answer
            }
            if (controls.takes("press")) {
                output.collect(Controls.FILLER);
                return InputStatus.MORE_AVAILABLE;
            }
            if (controls.takes("fill")) {
                fill(output);
                return InputStatus.MORE_AVAILABLE; // there is no output for it
            }
            if (controls.emits(emitted)) {
                Controls.emit(vertex, () -> output.collect(vertex + "." + subtask + "#" + emitted++));
                return InputStatus.MORE_AVAILABLE;
            }
            return controls.ends() ? end() : InputStatus.NOTHING_AVAILABLE;
        }

        /** Fills the channel to a task that is held. Buffers move through the network until the side of that task is full, too. */
        private void fill(ReaderOutput<String> output) {
            var writer = environment.getWriter(0); // the loop does not begin where threads are held
            while (writer.isAvailable() || !Controls.isFull()) {
                if (writer.isAvailable()) {
                    output.collect(Controls.FILLER);
                }
            }
        }

        private void call(ReaderOutput<String> output) {
            output.collect(Calls.of(vertex, subtask));
        }

        private InputStatus end() {
            return InputStatus.END_OF_INPUT;
        }

        public List<Position> snapshotState(long checkpoint) {
            Controls.write(emitted, "positions", vertex + "." + subtask, String.valueOf(checkpoint));
            return snapshotState();
        }

        /** What Flink 1.11 calls. */
        public List<Position> snapshotState() {
            return List.of(new Position(subtask, emitted));
        }

        @Override
        public void handleSourceEvents(SourceEvent event) {}

        @Override
        public CompletableFuture<Void> isAvailable() {
            return controls.available(emitted);
        }

        @Override
        public void addSplits(List<Position> splits) {
            splits.forEach(split -> emitted = split.emitted);
            controls.beginsAt(emitted);
        }

        @Override
        public void start() {}

        public void notifyNoMoreSplits() {}

        @Override
        public void close() {}
    }

    /** Positions stay with their subtask, so nothing is given out. */
    private static final class Nothing implements SplitEnumerator<Position, Integer> {
        @Override
        public void start() {}

        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void handleSourceEvent(int subtask, SourceEvent event) {}

        @Override
        public void addSplitsBack(List<Position> splits, int subtask) {}

        @Override
        public void addReader(int subtask) {}

        public Integer snapshotState(long checkpoint) {
            return snapshotState();
        }

        /** What Flink 1.12 calls. */
        public Integer snapshotState() {
            return 0;
        }

        @Override
        public void close() {}
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SplitEnumerator<Position, Integer> createEnumerator(SplitEnumeratorContext<Position> context) {
        Controls.master = context;
        return new Nothing();
    }

    @Override
    public SplitEnumerator<Position, Integer> restoreEnumerator(SplitEnumeratorContext<Position> context, Integer state) {
        return createEnumerator(context);
    }

    @Override
    public SourceReader<String, Position> createReader(SourceReaderContext context) {
        Environment environment = environmentOf(context);
        int subtask = environment.getTaskInfo().getIndexOfThisSubtask();
        Controls.runs(vertex, subtask, environment);
        return new Reader(subtask, environment);
    }

    /** The environment of the task: the context is a part of the operator, and tells nobody. */
    private static Environment environmentOf(SourceReaderContext context) {
        for (Field field : context.getClass().getDeclaredFields()) {
            if (AbstractStreamOperator.class.isAssignableFrom(field.getType())) {
                try {
                    field.setAccessible(true);
                    return ((AbstractStreamOperator<?>) field.get(context)).getContainingTask().getEnvironment();
                } catch (IllegalAccessException refused) {
                    throw new IllegalStateException(refused);
                }
            }
        }
        throw new IllegalStateException("the context of a source does not lead to its task");
    }

    @Override
    public SimpleVersionedSerializer<Position> getSplitSerializer() {
        return new Bytes<>() {
            @Override
            public byte[] serialize(Position position) {
                return ByteBuffer.allocate(12).putInt(position.subtask).putLong(position.emitted).array();
            }

            @Override
            public Position deserialize(int version, byte[] bytes) {
                ByteBuffer buffer = ByteBuffer.wrap(bytes);
                return new Position(buffer.getInt(), buffer.getLong());
            }
        };
    }

    @Override
    public SimpleVersionedSerializer<Integer> getEnumeratorCheckpointSerializer() {
        return new Bytes<>() {
            @Override
            public byte[] serialize(Integer state) {
                return new byte[0];
            }

            @Override
            public Integer deserialize(int version, byte[] bytes) {
                return 0;
            }
        };
    }

    private abstract static class Bytes<T> implements SimpleVersionedSerializer<T> {
        @Override
        public int getVersion() {
            return 1;
        }
    }
}
