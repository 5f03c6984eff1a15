import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventHandler;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * A trigger that fails, while another checkpoint is pending, and an event of an operator coordinator.
 *
 * <p>The job is source → map → operator; the operator has a coordinator. The map holds the barrier of
 * a checkpoint for some seconds, so that the checkpoint is pending. Then the coordinator sends an event
 * (its gate is closed), and a savepoint is requested whose folder cannot be created. The job then starts
 * again from the pending checkpoint, and the coordinator sends what its state says is not sent.
 *
 * <p>Arguments: {@code savepoint} (the pending checkpoint is a savepoint of a user, and a second job
 * resumes from it) or {@code checkpoint} (it is a periodic one, and the job restarts from it after a
 * failure); then {@code failing} (with the savepoint that cannot begin) or {@code control} (without).
 * Exit code: 0 if the operator has each event once, 10 if it has one twice.
 */
public final class FailedTrigger {

    /** The exit code if the operator has an event twice. */
    private static final int TWICE = 10;

    private static final long SECONDS = 40;
    private static final long PERIOD_MS = 4000;

    private static volatile boolean held;
    private static volatile boolean failing;
    private static volatile Coordinator coordinator;
    private static volatile long coordinatorTook = -1;
    private static volatile long operatorTook = -1;
    private static volatile long completed = -1;
    private static volatile int starts;
    private static final Set<Long> ABORTS_HEARD = Collections.synchronizedSet(new HashSet<>());
    private static final List<Long> RECEIVED = Collections.synchronizedList(new ArrayList<>());

    private FailedTrigger() {}

    /** Holds records, and so the barriers behind them, while `held`; throws once if `failing`. */
    static final class Holding implements MapFunction<Long, Long> {
        @Override
        public Long map(Long value) throws Exception {
            Thread.sleep(2);
            while (held) {
                Thread.sleep(5);
            }
            if (failing) {
                failing = false;
                throw new RuntimeException("a failure that the program asks for");
            }
            return value;
        }
    }

    static final class Numbered implements OperatorEvent {
        final long number;

        Numbered(long number) {
            this.number = number;
        }
    }

    /**
     * Sends events 1, 2, ...; its state is the number of events sent. Some methods have other names
     * before 1.16, so that there is no Override.
     */
    static final class Coordinator implements OperatorCoordinator {
        private final Map<Long, Long> parts = new ConcurrentHashMap<>();
        private volatile long sent;
        private volatile SubtaskGateway gateway;

        Coordinator() {
            coordinator = this;
        }

        void send() {
            say("the coordinator sends event " + (sent + 1));
            gateway.sendEvent(new Numbered(++sent));
        }

        @Override
        public void start() {}

        @Override
        public void close() {}

        @Override
        public void checkpointCoordinator(long id, CompletableFuture<byte[]> part) {
            say("checkpoint " + id + ": the coordinator's part has " + sent + " events sent");
            parts.put(id, sent);
            part.complete(ByteBuffer.allocate(Long.BYTES).putLong(sent).array());
            coordinatorTook = id;
        }

        @Override
        public void notifyCheckpointComplete(long id) {
            completed = id;
        }

        @Override
        public void notifyCheckpointAborted(long id) {
            say("the coordinator hears that checkpoint " + id + " was aborted");
            ABORTS_HEARD.add(id);
        }

        @Override
        public void resetToCheckpoint(long id, byte[] part) {
            sent = part == null ? 0 : ByteBuffer.wrap(part).getLong();
            say("the coordinator starts from checkpoint " + id + " with " + sent + " events sent");
        }

        /** A part of the job restarts: events after the checkpoint are not at the subtask. */
        @Override
        public void subtaskReset(int subtask, long id) {
            sent = parts.getOrDefault(id, 0L);
            say("the operator goes back to checkpoint " + id + " with " + sent + " events sent");
        }

        public void executionAttemptReady(int subtask, int attempt, SubtaskGateway ready) {
            gateway = ready;
        }

        public void executionAttemptFailed(int subtask, int attempt, Throwable reason) {
            gateway = null;
        }

        public void handleEventFromOperator(int subtask, int attempt, OperatorEvent event) {}

        public void subtaskReady(int subtask, SubtaskGateway ready) {
            gateway = ready;
        }

        public void subtaskFailed(int subtask, Throwable reason) {
            gateway = null;
        }

        public void handleEventFromOperator(int subtask, OperatorEvent event) {}
    }

    /** Its state is the list of the events that it has received. */
    static final class Receiver extends AbstractStreamOperator<Long>
            implements OneInputStreamOperator<Long, Long>, OperatorEventHandler {
        private final List<Long> received = new ArrayList<>();
        private transient ListState<Long> state;

        Receiver(StreamOperatorParameters<Long> parameters) {
            setup(parameters.getContainingTask(), parameters.getStreamConfig(), parameters.getOutput());
            parameters
                    .getOperatorEventDispatcher()
                    .registerEventHandler(parameters.getStreamConfig().getOperatorID(), this);
        }

        @Override
        public void processElement(StreamRecord<Long> element) {}

        @Override
        public void handleOperatorEvent(OperatorEvent event) {
            long number = ((Numbered) event).number;
            say("the operator receives event " + number);
            received.add(number);
            RECEIVED.add(number);
        }

        @Override
        public void initializeState(StateInitializationContext context) throws Exception {
            super.initializeState(context);
            ListStateDescriptor<Long> name = new ListStateDescriptor<>("received", Types.LONG);
            state = context.getOperatorStateStore().getListState(name);
            for (Long number : state.get()) {
                received.add(number);
            }
            say("the operator starts with the events " + received);
            RECEIVED.clear();
            RECEIVED.addAll(received);
            starts++;
        }

        @Override
        public void snapshotState(StateSnapshotContext context) throws Exception {
            super.snapshotState(context);
            state.update(received);
            long id = context.getCheckpointId();
            say("checkpoint " + id + ": the operator's part has the events " + received);
            operatorTook = id;
        }
    }

    static final class Factory extends AbstractStreamOperatorFactory<Long>
            implements OneInputStreamOperatorFactory<Long, Long>, CoordinatedOperatorFactory<Long> {
        @Override
        @SuppressWarnings("unchecked")
        public <T extends StreamOperator<Long>> T createStreamOperator(
                StreamOperatorParameters<Long> parameters) {
            return (T) new Receiver(parameters);
        }

        @Override
        public OperatorCoordinator.Provider getCoordinatorProvider(String name, OperatorID id) {
            return new Provider(id);
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
            return Receiver.class;
        }
    }

    static final class Provider implements OperatorCoordinator.Provider {
        private final OperatorID id;

        Provider(OperatorID id) {
            this.id = id;
        }

        @Override
        public OperatorID getOperatorId() {
            return id;
        }

        @Override
        public OperatorCoordinator create(OperatorCoordinator.Context context) {
            return new Coordinator();
        }
    }

    public static void main(String[] arguments) throws Exception {
        boolean isSavepoint = arguments[0].equals("savepoint");
        boolean isControl = arguments[1].equals("control");
        Path folder = Files.createTempDirectory("failed-trigger");
        Configuration settings = settings(folder, isSavepoint);
        MiniClusterConfiguration cluster =
                new MiniClusterConfiguration.Builder()
                        .setConfiguration(settings)
                        .setNumTaskManagers(1)
                        .setNumSlotsPerTaskManager(2)
                        .build();
        try (MiniCluster flink = new MiniCluster(cluster)) {
            flink.start();
            JobGraph first = graph(settings);
            JobID job = first.getJobID();
            flink.submitJob(first).get();
            await("the job runs", () -> starts == 1 && coordinator.gateway != null);

            held = true;
            Thread.sleep(300); // barriers that have passed the map reach the operator
            CompletableFuture<String> savepoint = null;
            if (isSavepoint) {
                savepoint = savepoint(flink, job, folder.toUri().toString());
            }
            await("a checkpoint is pending", () -> coordinatorTook > operatorTook);
            long pending = coordinatorTook;
            Thread.sleep(500); // the gates are closed, the sources are triggered
            say("checkpoint " + pending + " is pending: the map holds its barrier");
            coordinator.send();
            Thread.sleep(500);
            if (!isControl) {
                Path file = Files.createFile(folder.resolve("file"));
                String impossible = file.toUri() + "/savepoints";
                try {
                    savepoint(flink, job, impossible).get(SECONDS, TimeUnit.SECONDS);
                    throw new IllegalStateException("a folder was created inside of a file");
                } catch (ExecutionException failed) {
                    say("a savepoint cannot begin: " + root(failed).getMessage());
                }
                Thread.sleep(500);
            }
            check(operatorTook < pending, "the checkpoint is still pending");
            say("the map goes on");
            held = false;
            if (isSavepoint) {
                String path = savepoint.get(SECONDS, TimeUnit.SECONDS);
                say("the savepoint is complete: the job is cancelled, and another resumes from it");
                flink.cancelJob(job).get();
                awaitEnd(flink, first.getJobID());
                JobGraph second = graph(settings);
                second.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(path));
                job = second.getJobID();
                flink.submitJob(second).get();
            } else {
                await("the checkpoint is complete", () -> completed == pending);
                say("checkpoint " + pending + " is complete: the job fails, and restarts from it");
                failing = true;
            }
            await("the job runs again", () -> starts == 2 && coordinator.gateway != null);
            while (coordinator.sent < 1) {
                coordinator.send();
            }
            Thread.sleep(1500);
            if (!isControl) {
                String heard = ABORTS_HEARD.contains(pending + 1) ? "hears" : "never hears";
                say("the coordinator " + heard + " that checkpoint " + (pending + 1) + " was aborted");
            }
            boolean once = RECEIVED.equals(List.of(1L));
            say("the operator has the events " + RECEIVED + (once ? "" : ", not [1]"));
            flink.cancelJob(job).get();
            Runtime.getRuntime().halt(once ? 0 : TWICE);
        }
    }

    private static JobGraph graph(Configuration settings) {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(settings);
        environment.setParallelism(1);
        environment
                .fromSource(
                        new NumberSequenceSource(1, Long.MAX_VALUE - 1),
                        WatermarkStrategy.noWatermarks(),
                        "source")
                .uid("source")
                .map(new Holding())
                .uid("map")
                .transform("operator", Types.LONG, new Factory())
                .uid("operator")
                .disableChaining();
        return environment.getStreamGraph().getJobGraph();
    }

    private static Configuration settings(Path folder, boolean isSavepoint) {
        Configuration settings = new Configuration();
        settings.setString("rest.address", "127.0.0.1");
        settings.setString("rest.bind-port", "0");
        settings.setString("taskmanager.memory.managed.size", "16 mb");
        settings.setString("taskmanager.memory.network.min", "32 mb");
        settings.setString("taskmanager.memory.network.max", "32 mb");
        for (String key : List.of("restart-strategy", "restart-strategy.type")) {
            settings.setString(key, "fixed-delay");
        }
        settings.setString("restart-strategy.fixed-delay.attempts", "5");
        settings.setString("restart-strategy.fixed-delay.delay", "200 ms");
        for (String key : List.of("state.checkpoints.dir", "execution.checkpointing.dir")) {
            settings.setString(key, folder.resolve("checkpoints").toUri().toString());
        }
        if (!isSavepoint) {
            settings.setString("execution.checkpointing.interval", PERIOD_MS + " ms");
            settings.setString("execution.checkpointing.min-pause", PERIOD_MS + " ms");
            settings.setString("execution.checkpointing.tolerable-failed-checkpoints", "100");
        }
        return settings;
    }

    private static CompletableFuture<String> savepoint(MiniCluster flink, JobID job, String folder) {
        return flink.triggerSavepoint(job, folder, false, SavepointFormatType.CANONICAL);
    }

    private static void awaitEnd(MiniCluster flink, JobID job) throws Exception {
        while (!flink.getJobStatus(job).get().isGloballyTerminalState()) {
            Thread.sleep(20);
        }
    }

    private static void await(String what, BooleanSupplier happens) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!happens.getAsBoolean()) {
            check(System.nanoTime() < end, what);
            Thread.sleep(20);
        }
    }

    private static void check(boolean is, String what) {
        if (!is) {
            System.err.println("not so: " + what);
            Runtime.getRuntime().halt(2);
        }
    }

    private static Throwable root(Throwable error) {
        return error.getCause() == null ? error : root(error.getCause());
    }

    private static void say(String what) {
        System.out.println(what);
    }
}
