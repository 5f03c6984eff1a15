import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;

/**
 * What Flink's operator for asynchronous calls does in the task of a source: records go on at once, and a call waits
 * for its answer.
 *
 * <p>One call at a time may be open. If another one comes, the operator waits in the thread of the task, and lets only
 * those mails run that are more urgent than the operator.
 */
final class Calls implements AsyncFunction<String, String> {
    private static final long serialVersionUID = 1;
    private static final String CALL = "call\t";

    /** A record that is a call of a source's subtask, and goes no further than to this operator. */
    static String of(String vertex, int subtask) {
        return CALL + vertex + "\t" + subtask;
    }

    static SingleOutputStreamOperator<String> behind(SingleOutputStreamOperator<String> source) {
        return AsyncDataStream.orderedWait(source, new Calls(), 0, TimeUnit.SECONDS, 1);
    }

    @Override
    public void asyncInvoke(String record, ResultFuture<String> result) {
        if (record.startsWith(CALL)) {
            String[] words = record.split("\t");
            Controls.of(words[1], Integer.parseInt(words[2])).answer().thenRun(() -> result.complete(List.of()));
        } else {
            result.complete(List.of(record));
        }
    }
}
