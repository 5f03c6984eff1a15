import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.operators.AbstractInput;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.MultipleInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** The first operator of a task with chained sources: it passes on what comes from them, and from other tasks. */
final class Joining extends AbstractStreamOperatorV2<String> implements MultipleInputStreamOperator<String> {
    private static final long serialVersionUID = 1;
    private final int inputs;

    private Joining(StreamOperatorParameters<String> parameters, int inputs) {
        super(parameters, inputs);
        this.inputs = inputs;
    }

    @Override
    @SuppressWarnings("rawtypes")
    public List<Input> getInputs() {
        return IntStream.rangeClosed(1, inputs).<Input>mapToObj(this::input).toList();
    }

    private Input<String> input(int number) {
        return new AbstractInput<String, String>(this, number) {
            @Override
            public void processElement(StreamRecord<String> record) {
                output.collect(record);
            }
        };
    }

    static final class Factory extends AbstractStreamOperatorFactory<String> {
        private static final long serialVersionUID = 1;
        private final int inputs;

        Factory(int inputs) {
            this.inputs = inputs;
            chainingStrategy = ChainingStrategy.HEAD_WITH_SOURCES;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T extends StreamOperator<String>> T createStreamOperator(StreamOperatorParameters<String> parameters) {
            return (T) new Joining(parameters, inputs);
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
            return Joining.class;
        }
    }
}
