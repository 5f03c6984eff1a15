import org.apache.flink.streaming.api.operators.BoundedOneInput;

/** An operator that hears of the end of its data: `finish` came with Flink 1.14. */
interface Ends extends BoundedOneInput {
    void finish() throws Exception;

    @Override
    default void endInput() throws Exception {
        finish();
    }
}
