import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The environment in which the job is built. */
final class Environments {
    private Environments() {}

    static StreamExecutionEnvironment of(Configuration configuration) {
        return StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    }
}
