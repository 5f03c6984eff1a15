import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;

/** What a source with a thread of its own extends. */
abstract class Legacy extends RichParallelSourceFunction<String> {}
