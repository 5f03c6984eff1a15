import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/** Sources that are chained into a task came with Flink 1.12. */
final class Joining {
    private Joining() {}

    static final class Factory extends AbstractStreamOperatorFactory<String> {
        private static final long serialVersionUID = 1;

        Factory(int inputs) {
            throw new UnsupportedOperationException("no source of this Flink can be chained into a task");
        }

        @Override
        public <T extends StreamOperator<String>> T createStreamOperator(StreamOperatorParameters<String> parameters) {
            throw new UnsupportedOperationException();
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
            throw new UnsupportedOperationException();
        }
    }
}
