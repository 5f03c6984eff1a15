import java.io.File;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.logging.log4j.core.LoggerContext;

/** What one run of several in a JVM must leave behind: nothing. */
final class Run {
    private static final int SECONDS_TO_CLOSE = 10;
    private static final int SECONDS_TO_END = 3;

    private Run() {}

    /** From here on Flink logs as this file says. */
    static void logsTo(String settings) {
        LoggerContext.getContext(false).setConfigLocation(new File(settings).toURI());
    }

    /** Ends a cluster. Returns whether none of its threads is left. */
    static boolean ends(MiniCluster cluster) throws InterruptedException {
        try {
            if (cluster != null) {
                cluster.closeAsync().get(SECONDS_TO_CLOSE, TimeUnit.SECONDS);
            }
        } catch (Exception hangs) {
            return false;
        }
        Controls.forget();
        Assigner.forget();
        for (int tries = SECONDS_TO_END * 50; works(); tries--) {
            if (tries == 0) {
                return false;
            }
            Thread.sleep(20);
        }
        return true;
    }

    /** Whether a thread is in Flink. Those of pools wait outside of it. */
    private static boolean works() {
        for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
            for (StackTraceElement place : each.getKey() == Thread.currentThread() ? new StackTraceElement[0] : each.getValue()) {
                if (place.getClassName().startsWith("org.apache.flink.")) {
                    return true;
                }
            }
        }
        return false;
    }
}
