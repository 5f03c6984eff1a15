import org.apache.flink.streaming.api.functions.source.legacy.RichParallelSourceFunction;

/** What a source with a thread of its own extends: another package has it before Flink 2.0. */
abstract class Legacy extends RichParallelSourceFunction<String> {}
