import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/** A JobManager that loses its leadership, and one that takes over and knows what was stored. */
final class Crash {
    private Crash() {}

    static void prepare(MiniClusterConfiguration.Builder settings) {
        settings.setHaServices(MiniCluster.HaServices.WITH_LEADERSHIP_CONTROL);
    }

    static void crash(MiniCluster cluster, JobID job) throws Exception {
        cluster.getHaLeadershipControl().get().revokeJobMasterLeadership(job).get();
    }

    static void recover(MiniCluster cluster, JobID job) throws Exception {
        cluster.getHaLeadershipControl().get().grantJobMasterLeadership(job).get();
    }
}
