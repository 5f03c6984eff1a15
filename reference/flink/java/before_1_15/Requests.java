import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.minicluster.MiniCluster;

/** The requests to a cluster that releases of Flink call differently. */
final class Requests {
    private Requests() {}

    static CompletableFuture<?> stop(MiniCluster cluster, JobID job, String target, boolean drain) {
        return cluster.stopWithSavepoint(job, target, drain);
    }

    static CompletableFuture<?> savepoint(MiniCluster cluster, JobID job, String target) {
        return cluster.triggerSavepoint(job, target, false);
    }

    /** No request asks these releases for a checkpoint, so the coordinator is asked. */
    static CompletableFuture<?> checkpoint(MiniCluster cluster, JobID job) throws Exception {
        return coordinatorFrom(Controls.master).triggerCheckpoint(false);
    }

    /** The coordinator of checkpoints that an object of the job's master leads to. */
    private static CheckpointCoordinator coordinatorFrom(Object start) throws Exception {
        if (start == null) {
            throw new IllegalStateException("sources with threads of their own do not lead to the coordinator of checkpoints");
        }
        Set<Object> known = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> open = new ArrayDeque<>();
        open.add(start);
        while (!open.isEmpty()) {
            Object next = open.remove();
            if (next instanceof CheckpointCoordinator) {
                return (CheckpointCoordinator) next;
            }
            for (Class<?> type = next.getClass(); type != null && type.getName().startsWith("org.apache.flink"); type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                        field.setAccessible(true);
                        Object value = field.get(next);
                        if (value != null && known.add(value)) {
                            open.add(value);
                        }
                    }
                }
            }
        }
        throw new IllegalStateException("the coordinator of checkpoints was not found");
    }
}
