import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/** Control over the leadership of a JobManager came with Flink 1.13. */
final class Crash {
    private Crash() {}

    static void prepare(MiniClusterConfiguration.Builder settings) {
        throw new UnsupportedOperationException("no JobManager of this Flink can be told to crash");
    }

    static void crash(MiniCluster cluster, JobID job) {}

    static void recover(MiniCluster cluster, JobID job) {}
}
