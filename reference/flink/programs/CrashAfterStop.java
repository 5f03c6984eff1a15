import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.highavailability.nonha.embedded.HaLeadershipControl;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A stop with savepoint, a checkpoint while the tasks end, and a JobManager that loses its leadership.
 *
 * <p>The job is source → sink, two tasks. The sink commits in two phases; committing takes seconds, and
 * so does closing, so that the sink still runs when the source is FINISHED. The new JobManager restores
 * the job from its newest checkpoint.
 *
 * <p>Arguments:
 *
 * <ul>
 *   <li>{@code no-drain} or {@code drain}: the kind of the stop.
 *   <li>{@code user}: a user triggers a checkpoint when the source is FINISHED. {@code end-of-data}:
 *       nobody does, and the JobManager triggers the checkpoint at the end of all data, which only a
 *       drain has. The thread `Checkpoint Timer` stands still for a moment, so that this checkpoint is
 *       planned when the source is FINISHED; without this help the order needs luck. {@code none}: no
 *       checkpoint follows the savepoint.
 *   <li>{@code crash} or {@code no-crash}: the JobManager loses its leadership, and gets it again.
 * </ul>
 *
 * <p>If the stop succeeds, a second job resumes from its savepoint. Exit code: 0 if each record of the
 * source was committed in the end, 10 if a record was never committed, 2 if the order did not happen.
 */
public final class CrashAfterStop {

    private static final long RECORDS = 6000;
    private static final long SECONDS = 60;
    private static final int LOST = 10;
    private static final long COMMIT_MS = 3000;
    private static final long CLOSE_MS = 5000;

    /** The outside world: the records of each committed transaction. To commit again changes nothing. */
    private static final Map<String, long[]> COMMITTED = new ConcurrentHashMap<>();

    private static volatile boolean slow;
    private static volatile boolean stalls;
    private static volatile boolean snapshotWaits;
    private static volatile boolean commits;
    private static volatile boolean closes;
    private static volatile long confirmed;
    private static volatile long sinkTook;

    private CrashAfterStop() {}

    static final class Reading implements MapFunction<Long, Long> {
        @Override
        public Long map(Long value) throws Exception {
            Thread.sleep(1);
            return value;
        }
    }

    /** A sink in two phases: a snapshot prepares a transaction, its confirmation commits it. */
    static final class Committing extends RichMapFunction<Long, Long>
            implements CheckpointedFunction, CheckpointListener {
        private final List<Long> open = new ArrayList<>();
        private transient NavigableMap<Long, Tuple2<String, long[]>> prepared;
        private transient ListState<Tuple2<String, long[]>> state;

        @Override
        public Long map(Long value) {
            open.add(value);
            return value;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            prepared = new TreeMap<>();
            ListStateDescriptor<Tuple2<String, long[]>> name =
                    new ListStateDescriptor<>(
                            "prepared", Types.TUPLE(Types.STRING, Types.PRIMITIVE_ARRAY(Types.LONG)));
            state = context.getOperatorStateStore().getListState(name);
            for (Tuple2<String, long[]> transaction : state.get()) {
                COMMITTED.put(transaction.f0, transaction.f1);
            }
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            long[] records = open.stream().mapToLong(Long::longValue).toArray();
            open.clear();
            prepared.put(context.getCheckpointId(), Tuple2.of(UUID.randomUUID().toString(), records));
            state.update(new ArrayList<>(prepared.values()));
            sinkTook = context.getCheckpointId();
            if (slow) {
                say("the sink takes checkpoint " + sinkTook);
            }
            while (stalls) {
                snapshotWaits = true;
                Thread.sleep(5);
            }
        }

        @Override
        public void notifyCheckpointComplete(long id) throws Exception {
            if (slow) {
                say("the sink commits checkpoint " + id + ", slowly");
                commits = true;
                Thread.sleep(COMMIT_MS);
            }
            NavigableMap<Long, Tuple2<String, long[]>> ready = prepared.headMap(id, true);
            ready.values().forEach(transaction -> COMMITTED.put(transaction.f0, transaction.f1));
            ready.clear();
            confirmed = id;
        }

        @Override
        public void close() throws Exception {
            if (slow) {
                say("the sink closes, slowly");
                closes = true;
                Thread.sleep(CLOSE_MS);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        boolean isDrain = arguments[0].equals("drain");
        boolean isUsers = arguments[1].equals("user");
        boolean isAtEnd = arguments[1].equals("end-of-data");
        boolean isCrash = arguments[2].equals("crash");
        Path folder = Files.createTempDirectory("crash-after-stop");
        Configuration settings = settings(folder);
        MiniClusterConfiguration cluster =
                new MiniClusterConfiguration.Builder()
                        .setConfiguration(settings)
                        .setNumTaskManagers(1)
                        .setNumSlotsPerTaskManager(2)
                        .setHaServices(MiniCluster.HaServices.WITH_LEADERSHIP_CONTROL)
                        .build();
        try (MiniCluster flink = new MiniCluster(cluster)) {
            flink.start();
            JobGraph graph = graph(settings);
            JobID job = graph.getJobID();
            flink.submitJob(graph).get();
            await("checkpoint 2 is complete", () -> confirmed >= 2);

            slow = true;
            stalls = isAtEnd;
            say("a user stops the job " + (isDrain ? "with" : "without") + " drain");
            String target = folder.resolve("savepoints").toUri().toString();
            CompletableFuture<String> stop =
                    flink.stopWithSavepoint(job, target, isDrain, SavepointFormatType.CANONICAL);
            Thread timer = null;
            if (stalls) {
                await("the sink takes the savepoint", () -> snapshotWaits);
                Thread.sleep(500); // the request at the end of data waits for the savepoint
                timer = threadNamed("Checkpoint Timer");
                say("the thread `Checkpoint Timer` stands still");
                suspend(timer);
                stalls = false;
            }
            await("the source is FINISHED, and the sink commits", () -> commits && finished(flink, job) == 1);
            long savepoint = sinkTook;
            say("savepoint " + savepoint + " is complete, the source is FINISHED, the sink commits");
            if (timer != null) {
                say("the thread `Checkpoint Timer` goes on");
                resume(timer);
            }
            CompletableFuture<String> manual = null;
            if (isUsers) {
                say("a user triggers a checkpoint");
                manual = flink.triggerCheckpoint(job);
            }
            await("the sink closes", () -> closes);
            if (manual != null) {
                manual.get(SECONDS, TimeUnit.SECONDS);
                say("the user's checkpoint " + sinkTook + " is complete");
            }
            Thread.sleep(1000); // a checkpoint that the sink has acknowledged is stored
            check((sinkTook > savepoint) == (isUsers || isAtEnd), "checkpoints after the savepoint");
            check(finished(flink, job) == 1 && !stop.isDone(), "the sink still runs");
            if (isCrash) {
                say("the JobManager crashes");
                slow = false;
                HaLeadershipControl leadership = flink.getHaLeadershipControl().get();
                leadership.revokeJobMasterLeadership(job).get();
                Thread.sleep(500);
                say("a new JobManager takes over");
                leadership.grantJobMasterLeadership(job).get();
            }
            String path = null;
            try {
                path = stop.get(SECONDS, TimeUnit.SECONDS);
                say("the stop succeeds");
            } catch (ExecutionException | TimeoutException failed) {
                say("the stop fails: " + root(failed).getClass().getSimpleName());
            }
            slow = false;
            say("the job is " + awaitEnd(flink, job) + ", " + committed() + " records are committed");
            if (path != null) {
                say("a second job resumes from the savepoint");
                JobGraph second = graph(settings);
                second.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(path));
                flink.submitJob(second).get();
                say("the second job is " + awaitEnd(flink, second.getJobID()));
            }
            long lost = RECORDS - committed();
            long again = COMMITTED.values().stream().mapToLong(records -> records.length).sum() - committed();
            say("of " + RECORDS + " records " + lost + " are lost, " + again + " are committed twice");
            Runtime.getRuntime().halt(lost == 0 ? 0 : LOST);
        }
    }

    private static long committed() {
        return COMMITTED.values().stream().flatMapToLong(Arrays::stream).distinct().count();
    }

    private static int finished(MiniCluster flink, JobID job) {
        int finished = 0;
        try {
            for (AccessExecutionVertex task : flink.getExecutionGraph(job).get().getAllExecutionVertices()) {
                finished += task.getExecutionState() == ExecutionState.FINISHED ? 1 : 0;
            }
        } catch (InterruptedException | ExecutionException error) {
            throw new IllegalStateException(error);
        }
        return finished;
    }

    private static JobGraph graph(Configuration settings) {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(settings);
        environment.setParallelism(1);
        environment
                .fromSource(
                        new NumberSequenceSource(1, RECORDS), WatermarkStrategy.noWatermarks(), "source")
                .uid("source")
                .map(new Reading())
                .uid("reading")
                .map(new Committing())
                .uid("sink")
                .disableChaining();
        return environment.getStreamGraph().getJobGraph();
    }

    private static Configuration settings(Path folder) {
        Configuration settings = new Configuration();
        settings.setString("rest.address", "127.0.0.1");
        settings.setString("rest.bind-port", "0");
        settings.setString("taskmanager.memory.managed.size", "16 mb");
        settings.setString("taskmanager.memory.network.min", "32 mb");
        settings.setString("taskmanager.memory.network.max", "32 mb");
        settings.setString("execution.checkpointing.interval", "400 ms");
        for (String key : List.of("state.checkpoints.dir", "execution.checkpointing.dir")) {
            settings.setString(key, folder.resolve("checkpoints").toUri().toString());
        }
        return settings;
    }

    private static Thread threadNamed(String name) {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals(name)) {
                return thread;
            }
        }
        throw new IllegalStateException("no thread has the name " + name);
    }

    @SuppressWarnings({"deprecation", "removal"}) // no Java after 19 has this
    private static void suspend(Thread thread) {
        thread.suspend();
    }

    @SuppressWarnings({"deprecation", "removal"})
    private static void resume(Thread thread) {
        thread.resume();
    }

    private static JobStatus awaitEnd(MiniCluster flink, JobID job) throws Exception {
        await("the job ends", () -> flink.getJobStatus(job).join().isGloballyTerminalState());
        return flink.getJobStatus(job).get();
    }

    private static void await(String what, BooleanSupplier happens) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!happens.getAsBoolean()) {
            check(System.nanoTime() < end, what);
            Thread.sleep(5);
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
