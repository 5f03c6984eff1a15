import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/**
 * The coordinator of an operator: it assigns splits when it is told to. Its state is the splits that are left.
 *
 * <p>Releases call the methods of a coordinator differently, so this one is a proxy that goes by their names. As the
 * coordinator of a source it has a thread of its own.
 */
final class Assigner implements InvocationHandler {
    /** A split, on its way to a subtask. */
    static final class Assigned implements OperatorEvent {
        private static final long serialVersionUID = 1;
        final String split;

        Assigned(String split) {
            this.split = split;
        }
    }

    private static volatile Assigner current;

    private final OperatorCoordinator.Context context;
    private final int splits;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread made = new Thread(task, "Assigner");
        made.setDaemon(true);
        return made;
    });
    private final TreeSet<String> left = new TreeSet<>();
    /** By subtask, the splits that may be assigned to it. They outlive attempts. */
    private final Map<Integer, List<String>> wanted = new HashMap<>();
    private final Map<Integer, Object> gateways = new HashMap<>();

    private Assigner(OperatorCoordinator.Context context, int splits) {
        this.context = context;
        this.splits = splits;
        restore(null);
    }

    /** Another run begins. */
    static void forget() {
        if (current != null) {
            current.thread.shutdownNow();
        }
        current = null;
    }

    /** Assigns a split to a subtask, as soon as the subtask runs. */
    static void assign(String split, int subtask) {
        Assigner assigner = current;
        assigner.thread.execute(() -> {
            assigner.wanted.computeIfAbsent(subtask, each -> new ArrayList<>()).add(split);
            assigner.send(subtask);
        });
    }

    /** Fails the job as a whole, so that the coordinator starts again from a checkpoint, too. */
    static void failJob() {
        current.context.failJob(new RuntimeException("the driver lets the job fail"));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "checkpointCoordinator" -> thread.execute(() -> take((long) arguments[0], state(arguments[1])));
            case "resetToCheckpoint" -> thread.execute(() -> restore((byte[]) arguments[arguments.length - 1]));
            case "subtaskReady", "executionAttemptReady" -> thread.execute(() -> ready((int) arguments[0], arguments[arguments.length - 1]));
            case "subtaskFailed", "executionAttemptFailed" -> thread.execute(() -> gateways.remove((int) arguments[0]));
            case "hashCode" -> {
                return System.identityHashCode(proxy);
            }
            case "equals" -> {
                return proxy == arguments[0];
            }
            case "toString" -> {
                return "Assigner";
            }
            default -> { }
        }
        return null;
    }

    @SuppressWarnings("unchecked")
    private static CompletableFuture<byte[]> state(Object future) {
        return (CompletableFuture<byte[]>) future;
    }

    private void take(long checkpoint, CompletableFuture<byte[]> state) {
        state.complete(String.join(" ", left).getBytes(StandardCharsets.UTF_8));
    }

    private void restore(byte[] state) {
        left.clear();
        if (state == null) {
            for (int number = 1; number <= splits; number++) {
                left.add("split" + number);
            }
        } else if (state.length > 0) {
            left.addAll(List.of(new String(state, StandardCharsets.UTF_8).split(" ")));
        }
    }

    private void ready(int subtask, Object gateway) {
        gateways.put(subtask, gateway);
        send(subtask);
    }

    private void send(int subtask) {
        boolean byContext = senderOf(context, 2) != null;
        if (!byContext && !gateways.containsKey(subtask)) {
            return;
        }
        for (String split : wanted.getOrDefault(subtask, List.of())) {
            if (left.remove(split)) {
                send(new Assigned(split), subtask, byContext);
            }
        }
    }

    /** Before Flink 1.13 the context sends events; since then the gateway of a subtask does. */
    private void send(Assigned event, int subtask, boolean byContext) {
        try {
            if (byContext) {
                senderOf(context, 2).invoke(context, event, subtask);
            } else {
                senderOf(gateways.get(subtask), 1).invoke(gateways.get(subtask), event);
            }
        } catch (IllegalAccessException | InvocationTargetException refused) {
            throw new IllegalStateException(refused);
        }
    }

    private static Method senderOf(Object object, int parameters) {
        for (Method method : object.getClass().getMethods()) {
            if (method.getName().equals("sendEvent") && method.getParameterCount() == parameters) {
                method.setAccessible(true);
                return method;
            }
        }
        return null;
    }

    /** Makes the operator, and its coordinator. */
    static final class Factory extends AbstractStreamOperatorFactory<String>
            implements OneInputStreamOperatorFactory<String, String>, CoordinatedOperatorFactory<String> {
        private static final long serialVersionUID = 1;
        private final String vertex;
        private final String kind;
        private final String sink;
        private final int splits;

        Factory(String vertex, String kind, String sink, int splits) {
            this.vertex = vertex;
            this.kind = kind;
            this.sink = sink;
            this.splits = splits;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T extends StreamOperator<String>> T createStreamOperator(StreamOperatorParameters<String> parameters) {
            Operator operator = new Operator(vertex, kind, sink, false, false);
            operator.begin(parameters);
            return (T) operator;
        }

        @Override
        public OperatorCoordinator.Provider getCoordinatorProvider(String name, OperatorID id) {
            return new Provider(id, splits);
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
            return Operator.class;
        }
    }

    private static final class Provider implements OperatorCoordinator.Provider {
        private static final long serialVersionUID = 1;
        private final OperatorID id;
        private final int splits;

        Provider(OperatorID id, int splits) {
            this.id = id;
            this.splits = splits;
        }

        @Override
        public OperatorID getOperatorId() {
            return id;
        }

        @Override
        public OperatorCoordinator create(OperatorCoordinator.Context context) {
            Controls.master = context;
            current = new Assigner(context, splits);
            return (OperatorCoordinator) Proxy.newProxyInstance(
                    OperatorCoordinator.class.getClassLoader(), new Class<?>[] {OperatorCoordinator.class}, current);
        }
    }
}
