import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;

/** The requests to a cluster that releases of Flink call differently. */
final class Requests {
    private Requests() {}

    static CompletableFuture<?> stop(MiniCluster cluster, JobID job, String target, boolean drain) {
        return cluster.stopWithSavepoint(job, target, drain, SavepointFormatType.CANONICAL);
    }

    static CompletableFuture<?> savepoint(MiniCluster cluster, JobID job, String target) {
        return cluster.triggerSavepoint(job, target, false, SavepointFormatType.CANONICAL);
    }

    static CompletableFuture<?> checkpoint(MiniCluster cluster, JobID job) {
        return cluster.triggerCheckpoint(job);
    }
}
