import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.MultipleConnectedStreams;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.MultipleInputTransformation;

/**
 * Runs a job of a given shape on a MiniCluster, one task manager for each task.
 *
 * <p>Standard input has one command a line, with tabs between words. The first lines say what the job is:
 *
 * <pre>
 * log PATH                                   the settings of the log of this run
 * set KEY VALUE                              a setting of the cluster and the job
 * vertex NAME PARALLELISM KIND SINK UNION SOURCES
 *                                            after all that it reads; UNION is true for a source with
 *                                            union state; SOURCES are chained into it
 * edge FROM TO PATTERN                       all-to-all, pointwise or broadcast
 * folder PATH                                for savepoints, and for what the sinks write
 * start [PATH]                               from a savepoint, or from nothing
 * emit NAME SUBTASK                          this attempt of the source emits one more record
 * end NAME SUBTASK                           it ends after the records that it may emit
 * free NAME SUBTASK RECORDS ENDS             each attempt emits so many records, and ends if ENDS is true
 * call NAME SUBTASK                          this attempt of the source calls, and waits for the answer
 * answer NAME SUBTASK                        the answer comes
 * press NAME SUBTASK                         this attempt of the source emits a record that fills a channel
 * fill NAME SUBTASK                          this attempt of the source fills the channels behind it
 * mail NAME SUBTASK                          an operator of the task puts a mail of its own into the mailbox
 * fail NAME SUBTASK                          the task fails, and the states are told
 * crash                                      the JobManager is gone, and another one takes over
 * stop ID drain|suspend, savepoint ID, checkpoint ID, cancel ID
 * assign NAME SUBTASK SPLIT                  the coordinator of a vertex assigns a split to the subtask
 * fail-job                                   the job fails as a whole
 * status                                     the states of the job and its tasks
 * close                                      ends the cluster, and tells whether all of its threads have
 *                                            ended. The next line begins another run
 * </pre>
 *
 * Standard output has one JSON object a line. The end of standard input ends the process.
 */
public class Job {
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private record Vertex(String name, int parallelism, String kind, String sink, boolean union, int sources) {}

    private record Edge(String from, String to, String pattern) {}

    private static final String UNION = "union state";
    /** A setting of this job: "threads" for sources that emit in a thread of their own. */
    private static final String SOURCES = "job.sources";

    /** A setting of this job: so many splits are assigned to the vertices that are no sources. */
    private static final String SPLITS = "job.splits";
    private static final String BEHIND = "behind sources";
    private static final String CALLS = "calls";

    private final Configuration configuration = new Configuration();
    private final Map<String, Vertex> vertices = new LinkedHashMap<>();
    private final List<Edge> edges = new ArrayList<>();
    private Path folder;
    private MiniCluster cluster;
    private JobID job;

    public static void main(String[] arguments) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> say("\"failed\":" + quoted(deepest(error))));
        try {
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (new Job().obey(input)) { }
        } catch (Throwable error) {
            say("\"failed\":" + quoted(deepest(error)));
        }
        Runtime.getRuntime().halt(0);
    }

    /** Obeys the commands of one run. Returns whether another run may come. */
    private boolean obey(BufferedReader input) throws Exception {
        for (String line; (line = input.readLine()) != null; ) {
            String[] words = line.split("\t");
            switch (words[0]) {
                case "set" -> configuration.setString(words[1], words[2]);
                case "vertex" -> vertices.put(words[1], new Vertex(words[1], Integer.parseInt(words[2]), words[3], words[4], Boolean.parseBoolean(words[5]), Integer.parseInt(words[6])));
                case "edge" -> edges.add(new Edge(words[1], words[2], words[3]));
                case "folder" -> folder = Path.of(words[1]);
                case "start" -> start(words.length > 1 ? words[1] : null);
                case "emit" -> Controls.of(words[1], Integer.parseInt(words[2])).mayEmit();
                case "end" -> Controls.of(words[1], Integer.parseInt(words[2])).mayEnd();
                case "free" -> Controls.of(words[1], Integer.parseInt(words[2])).isFree(Long.parseLong(words[3]), Boolean.parseBoolean(words[4]));
                case "call" -> Controls.of(words[1], Integer.parseInt(words[2])).mayCall();
                case "answer" -> Controls.of(words[1], Integer.parseInt(words[2])).isAnswered();
                case "press", "fill" -> Controls.of(words[1], Integer.parseInt(words[2])).mayOnce(words[0]);
                case "mail" -> Controls.putMail(words[1], Integer.parseInt(words[2]));
                case "crash" -> {
                    Crash.crash(cluster, job);
                    say("\"crashed\":" + quoted(job.toString()));
                    Crash.recover(cluster, job);
                }
                case "fail" -> {
                    Controls.fail(words[1], Integer.parseInt(words[2]));
                    tellStatus(); // the task has failed, whatever its thread does now
                }
                case "assign" -> Assigner.assign(words[3], Integer.parseInt(words[2]));
                case "fail-job" -> Assigner.failJob();
                case "status" -> tellStatus();
                case "log" -> {
                    Run.logsTo(words[1]);
                    say("\"logs\":" + quoted(words[1]));
                }
                case "close" -> {
                    say("\"closed\":" + Run.ends(cluster));
                    return true;
                }
                default -> ask(words);
            }
        }
        return false;
    }

    /** Whether a setting of this driver is there, and true. */
    private boolean is(String key) {
        return Boolean.parseBoolean(configuration.toMap().get(key));
    }

    // The cluster

    private void start(String savepoint) throws Exception {
        Controls.folder = folder;
        if (cluster == null) {
            int tasks = vertices.values().stream().mapToInt(Vertex::parallelism).sum();
            var settings = new MiniClusterConfiguration.Builder().setConfiguration(configuration).setNumTaskManagers(tasks).setNumSlotsPerTaskManager(1);
            if (is("driver.crashes")) {
                Crash.prepare(settings);
            }
            cluster = new MiniCluster(settings.build());
            cluster.start();
        }
        JobGraph graph = graph();
        if (savepoint != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        }
        job = graph.getJobID();
        cluster.submitJob(graph).get();
        while (!runs(cluster.getExecutionGraph(job).get())) {
            Thread.sleep(20);
        }
        StringBuilder told = new StringBuilder("\"running\":" + quoted(job.toString()) + ",\"vertices\":{");
        String comma = "";
        for (JobVertex vertex : graph.getVertices()) {
            told.append(comma).append(quoted(vertex.getName())).append(":[").append(vertex.getID().getUpperPart());
            told.append(",").append(vertex.getID().getLowerPart()).append("]");
            comma = ",";
        }
        say(told.append("}").toString());
        cluster.requestJobResult(job).thenCompose(result -> cluster.getJobStatus(job)).thenAccept(state -> say("\"over\":" + quoted(state.name())));
    }

    private static boolean runs(AccessExecutionGraph graph) {
        if (graph.getState().isGloballyTerminalState()) {
            throw new IllegalStateException("the job is " + graph.getState() + ": " + graph.getFailureInfo().getExceptionAsString().split("\n")[0]);
        }
        if (graph.getState() != JobStatus.RUNNING) {
            return false;
        }
        for (AccessExecutionVertex each : graph.getAllExecutionVertices()) {
            if (each.getExecutionState() != ExecutionState.RUNNING && each.getExecutionState() != ExecutionState.FINISHED) {
                return false;
            }
        }
        return true;
    }

    private JobGraph graph() {
        StreamExecutionEnvironment environment = Environments.of(configuration);
        Map<String, DataStream<String>> streams = new HashMap<>();
        int number = 0;
        for (Vertex vertex : vertices.values()) {
            String group = "group-" + ++number;
            boolean keeps = is("driver.keeps-on-finish");
            SingleOutputStreamOperator<String> made;
            boolean isSource = vertex.kind().equals("source");
            if (vertex.sink().equals("committer")) {
                continue; // the writer before it has made it
            }
            if (vertex.kind().equals("writer")) {
                environment.disableOperatorChaining();
                Committing.sinkTo(inputOf(vertex.name(), streams), vertex.name(), committerOf(vertex), vertex.parallelism(), group);
                continue;
            }
            if (isSource && configuration.toMap().getOrDefault(SOURCES, "").equals("threads")) {
                made = environment.addSource(new ThreadSource(vertex.name()), vertex.name(), Types.STRING);
                made = first(made, vertex, group);
            } else if (isSource) {
                made = source(environment, vertex, vertex.name(), group).startNewChain();
                environment.addOperator(made.getTransformation()); // also if nobody reads it
                if (is("driver.calls")) {
                    made = Calls.behind(made).setParallelism(vertex.parallelism()).uid(vertex.name() + CALLS).slotSharingGroup(group);
                }
            } else if (vertex.sources() > 0) {
                made = behindSources(environment, vertex, inputOf(vertex.name(), streams), group);
            } else if (configuration.toMap().containsKey(SPLITS)) {
                int splits = Integer.parseInt(configuration.toMap().get(SPLITS));
                made = inputOf(vertex.name(), streams).transform(vertex.name(), Types.STRING, new Assigner.Factory(vertex.name(), vertex.kind(), vertex.sink(), splits));
                made = first(made, vertex, group);
            } else {
                made = inputOf(vertex.name(), streams).transform(vertex.name(), Types.STRING, new Operator(vertex.name(), vertex.kind(), vertex.sink(), keeps, is("driver.opens-after-finish")));
                made = first(made, vertex, group);
            }
            if (vertex.union()) { // the state of an operator in the same task
                made = made.transform(UNION, Types.STRING, new Operator(vertex.name(), "union-state", "none", false, false));
                made.setParallelism(vertex.parallelism()).uid(vertex.name() + UNION).slotSharingGroup(group);
            }
            streams.put(vertex.name(), made);
        }
        JobGraph graph = environment.getStreamGraph().getJobGraph();
        vertices.values().stream().filter(each -> each.kind().equals("writer")).forEach(each -> Committing.rename(graph, each.name(), committerOf(each)));
        return graph;
    }

    private String committerOf(Vertex writer) {
        return edges.stream().filter(each -> each.from().equals(writer.name())).findFirst().orElseThrow().to();
    }

    private static SingleOutputStreamOperator<String> first(SingleOutputStreamOperator<String> made, Vertex vertex, String group) {
        return made.setParallelism(vertex.parallelism()).uid(vertex.name()).slotSharingGroup(group).startNewChain();
    }

    private static SingleOutputStreamOperator<String> source(StreamExecutionEnvironment environment, Vertex vertex, String name, String group) {
        return environment.fromSource(new HeldSource(name), WatermarkStrategy.noWatermarks(), name, Types.STRING)
                .setParallelism(vertex.parallelism()).uid(name).slotSharingGroup(group);
    }

    /** A task with sources chained into it, which are its first inputs, and with an operator behind them. */
    private static SingleOutputStreamOperator<String> behindSources(StreamExecutionEnvironment environment, Vertex vertex, DataStream<String> input, String group) {
        int inputs = vertex.sources() + (input == null ? 0 : 1);
        var joined = new MultipleInputTransformation<>(vertex.name(), new Joining.Factory(inputs), Types.STRING, vertex.parallelism());
        for (int i = 1; i <= vertex.sources(); i++) {
            joined.addInput(source(environment, vertex, vertex.name() + ".source" + i, group).getTransformation());
        }
        if (input != null) {
            joined.addInput(input.getTransformation());
        }
        environment.addOperator(joined);
        SingleOutputStreamOperator<String> made = new MultipleConnectedStreams(environment).transform(joined);
        made.uid(vertex.name()).slotSharingGroup(group);
        made = made.transform(BEHIND, Types.STRING, new Operator(vertex.name(), "pass-through", vertex.sink(), false, false));
        return made.setParallelism(vertex.parallelism()).uid(vertex.name() + BEHIND).slotSharingGroup(group);
    }

    private DataStream<String> inputOf(String name, Map<String, DataStream<String>> streams) {
        DataStream<String> all = null;
        for (Edge edge : edges) {
            if (edge.to().equals(name)) {
                DataStream<String> from = streams.get(edge.from());
                DataStream<String> one = switch (edge.pattern()) {
                    case "pointwise" -> from.rescale();
                    case "broadcast" -> from.broadcast();
                    default -> from.rebalance();
                };
                all = all == null ? one : all.union(one);
            }
        }
        return all;
    }

    // Requests

    private void ask(String[] words) throws Exception {
        String target = "file:" + folder.resolve("savepoints"); // Flink takes a path as it is
        CompletableFuture<?> answer = switch (words[0]) {
            case "stop" -> Requests.stop(cluster, job, target, words[2].equals("drain"));
            case "savepoint" -> Requests.savepoint(cluster, job, target);
            case "checkpoint" -> Requests.checkpoint(cluster, job);
            case "cancel" -> cluster.cancelJob(job);
            default -> throw new IllegalArgumentException(words[0]);
        };
        answer.whenComplete((value, error) -> {
            String told = error == null ? "\"value\":" + quoted(String.valueOf(value)) : "\"error\":" + quoted(deepest(error));
            say("\"answer\":" + quoted(words[1]) + "," + told);
        });
    }

    private static String deepest(Throwable error) {
        while (error.getCause() != null) {
            error = error.getCause();
        }
        return error.toString();
    }

    private void tellStatus() throws Exception {
        AccessExecutionGraph graph = cluster.getExecutionGraph(job).get();
        StringBuilder told = new StringBuilder("\"status\":" + quoted(graph.getState().name()) + ",\"tasks\":{");
        String comma = "";
        for (AccessExecutionVertex each : graph.getAllExecutionVertices()) {
            told.append(comma).append(quoted(each.getTaskNameWithSubtaskIndex())).append(":").append(quoted(each.getExecutionState().name()));
            comma = ",";
        }
        told.append("},\"waits\":{");
        comma = "";
        for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
            if (each.getKey().getName().matches(".* \\(\\d+/\\d+\\)#\\d+")) {
                told.append(comma).append(quoted(each.getKey().getName())).append(":").append(quoted(placeOf(each.getValue())));
                comma = ",";
            }
        }
        say(told.append("}").toString());
    }

    /** The first method of Flink in which a thread is. */
    private static String placeOf(StackTraceElement[] stack) {
        for (StackTraceElement each : stack) {
            if (each.getClassName().startsWith("org.apache.flink")) {
                return each.getClassName().substring(each.getClassName().lastIndexOf('.') + 1) + "." + each.getMethodName();
            }
        }
        return stack.length == 0 ? "" : stack[0].toString();
    }

    static synchronized void say(String fields) {
        OUT.println("{" + fields + "}");
    }

    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                quoted.append('\\').append(each);
            } else if (each < ' ' || each > '~') {
                quoted.append(String.format("\\u%04x", (int) each));
            } else {
                quoted.append(each);
            }
        }
        return quoted.append('"').toString();
    }
}
