import java.io.IOException;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobmanager.scheduler.SlotSharingGroup;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;

/**
 * A sink of two tasks: a writer hands what it has written to a committer, which writes a file of it.
 *
 * <p>Releases call the interfaces of a sink differently, so its parts are proxies that go by the names of methods.
 * Flink makes the two tasks, and calls them by its own names, which {@link #rename} replaces.
 */
final class Committing implements InvocationHandler, Serializable {
    private static final long serialVersionUID = 1;
    private static final String PACKAGE = "org.apache.flink.api.connector.sink2.";
    private static final String BETWEEN = "org.apache.flink.streaming.api.connector.sink2.";

    private final String writer;
    private final String committer;

    private Committing(String writer, String committer) {
        this.writer = writer;
        this.committer = committer;
    }

    static void sinkTo(DataStream<String> input, String writer, String committer, int parallelism, String group) {
        try {
            Object sink = proxy(new Committing(writer, committer), "Sink", "SupportsCommitter|TwoPhaseCommittingSink", BETWEEN + "SupportsPreCommitTopology|" + BETWEEN + "WithPreCommitTopology");
            Method method = DataStream.class.getMethod("sinkTo", Class.forName(PACKAGE + "Sink"));
            DataStreamSink<?> made = (DataStreamSink<?>) method.invoke(input, sink);
            made.name(writer).uid(writer).setParallelism(parallelism).slotSharingGroup(group);
        } catch (ReflectiveOperationException lacks) {
            throw new UnsupportedOperationException("no sink of this Flink has a writer and a committer", lacks);
        }
    }

    /** Names the tasks of a sink as the vertices of the job. Each has a task manager of its own, as all other tasks. */
    static void rename(JobGraph graph, String writer, String committer) {
        for (JobVertex vertex : graph.getVertices()) {
            if (vertex.getName().equals(writer + ": Writer")) {
                vertex.setName(writer);
            } else if (vertex.getName().equals(writer + ": Committer")) {
                vertex.setName(committer);
                vertex.setSlotSharingGroup(new SlotSharingGroup());
            }
        }
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws ReflectiveOperationException {
        return switch (method.getName()) {
            case "createWriter" -> proxy(new Writer(registered(writer, arguments[0])), "SinkWriter", "CommittingSinkWriter|TwoPhaseCommittingSink$PrecommittingSinkWriter");
            case "createCommitter" -> proxy(new Committer(folder(arguments)), "Committer");
            case "addPreCommitTopology" -> ((DataStream<?>) arguments[0]).rebalance(); // a channel that barriers can overtake
            case "getCommittableSerializer", "getWriteResultSerializer" -> new Text();
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            case "toString" -> "Committing";
            default -> null;
        };
    }

    /** The folder of a committer. Before Flink 1.19 a committer is told nothing of its task. */
    private Path folder(Object[] arguments) throws ReflectiveOperationException {
        int subtask = arguments == null ? 0 : registered(committer, arguments[0]);
        return Controls.folder.resolve("sinks").resolve(committer + "." + subtask);
    }

    /** Notes the task of a writer or a committer, to which its context leads. Returns the number of its subtask. */
    private static int registered(String vertex, Object context) throws ReflectiveOperationException {
        Environment environment = field(field(context, RuntimeContext.class), Environment.class);
        int subtask = environment.getTaskInfo().getIndexOfThisSubtask();
        Controls.runs(vertex, subtask, environment);
        return subtask;
    }

    private static <T> T field(Object object, Class<T> type) throws ReflectiveOperationException {
        for (Class<?> owner = object.getClass(); owner != null; owner = owner.getSuperclass()) {
            for (Field field : owner.getDeclaredFields()) {
                if (type.isAssignableFrom(field.getType())) {
                    field.setAccessible(true);
                    return type.cast(field.get(object));
                }
            }
        }
        throw new IllegalStateException(object.getClass() + " has no " + type.getSimpleName());
    }

    /** A proxy with interfaces of Flink; of names with a bar between them it has the first one that is there. */
    private static Object proxy(InvocationHandler handler, String... names) throws ReflectiveOperationException {
        List<Class<?>> found = new ArrayList<>();
        for (String name : names) {
            String[] each = name.split("\\|");
            for (int i = 0; i < each.length; i++) {
                try {
                    found.add(Class.forName(each[i].startsWith(BETWEEN) ? each[i] : PACKAGE + each[i]));
                    break;
                } catch (ClassNotFoundException lacks) {
                    if (i == each.length - 1) {
                        throw lacks;
                    }
                }
            }
        }
        return Proxy.newProxyInstance(Committing.class.getClassLoader(), found.toArray(new Class<?>[0]), handler);
    }

    /** Keeps records until a checkpoint or the end, and then hands them over as one committable. */
    private static final class Writer implements InvocationHandler {
        private final List<String> open = new ArrayList<>();
        private final int subtask;

        Writer(int subtask) {
            this.subtask = subtask;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            if (method.getName().equals("write")) {
                open.add((String) arguments[0]);
            }
            if (!method.getName().equals("prepareCommit")) {
                return null;
            }
            List<String> made = new ArrayList<>();
            if (!open.isEmpty()) {
                made.add(subtask + "-" + UUID.randomUUID() + "\n" + String.join("\n", open));
                open.clear();
            }
            return made;
        }
    }

    /** Writes a file of each committable. To write a file again changes nothing. */
    private static final class Committer implements InvocationHandler {
        private final Path folder;

        Committer(Path folder) {
            this.folder = folder;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws ReflectiveOperationException, IOException {
            if (method.getName().equals("commit")) {
                for (Object request : (Collection<?>) arguments[0]) {
                    Method committable = Class.forName(PACKAGE + "Committer$CommitRequest").getMethod("getCommittable");
                    String[] parts = ((String) committable.invoke(request)).split("\n", 2);
                    Controls.commit(folder, parts[0], parts[1]);
                }
            }
            return null;
        }
    }

    private static final class Text implements SimpleVersionedSerializer<String> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String deserialize(int version, byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
