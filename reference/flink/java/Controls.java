import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.partition.consumer.RemoteInputChannel;

/** What a source subtask may do: how many records it may emit, and whether it may end. */
final class Controls {
    /** A record that only fills a channel. */
    static final String FILLER = "filler ".repeat(2000);

    static Path folder;
    /** What the job's master told a source of itself. */
    static volatile Object master;
    private static final Map<String, Controls> ALL = new ConcurrentHashMap<>();
    private static final Map<String, Environment> TASKS = new ConcurrentHashMap<>();
    /** The buffers that all channels of a task share, beside those that each channel has. */
    private static final int FLOATING = 8;
    private static volatile Environment absorbing;
    private static final Map<String, Runnable> MAILS = new ConcurrentHashMap<>();

    private long permits;
    private boolean mayEnd;
    private long free;
    private boolean isFreeToEnd;
    private final Set<String> once = new HashSet<>();
    private CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);
    private CompletableFuture<Void> changed = new CompletableFuture<>();

    /** Another run begins. */
    static void forget() {
        master = null;
        absorbing = null;
        ALL.clear();
        TASKS.clear();
        MAILS.clear();
    }

    static Controls of(String vertex, int subtask) {
        return ALL.computeIfAbsent(vertex + "." + subtask, name -> new Controls());
    }

    static void runs(String vertex, int subtask, Environment environment) {
        TASKS.put(vertex + "." + subtask, environment);
    }

    /** A task has come to what fills its channels. */
    static void absorbs(Environment environment) {
        absorbing = environment;
    }

    /** Whether a channel of that task has all buffers that it can have, so that nothing moves any more. */
    static boolean isFull() {
        if (absorbing == null) {
            return false;
        }
        for (var gate : absorbing.getAllInputGates()) {
            for (int n = 0; n < gate.getNumberOfInputChannels(); n++) {
                if (gate.getChannel(n) instanceof RemoteInputChannel channel && channel.getNumberOfQueuedBuffers() >= channel.getInitialCredit() + FLOATING) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A task has an operator that puts mails of its own into the mailbox. */
    static void hasMails(String vertex, int subtask, Runnable put) {
        MAILS.put(vertex + "." + subtask, put);
    }

    static void putMail(String vertex, int subtask) {
        MAILS.get(vertex + "." + subtask).run();
    }

    /** Writes a number to a file of the run's folder. */
    static void write(long number, String first, String... more) {
        try {
            Path file = folder.resolve(Path.of(first, more));
            Files.createDirectories(file.getParent());
            Files.writeString(file, String.valueOf(number));
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
    }

    /** Writes a file of a transaction that is committed. To write a file again changes nothing. */
    static void commit(Path sink, String transaction, String records) throws IOException {
        Path part = Files.writeString(Files.createDirectories(sink).resolve(transaction + ".part"), records + "\n");
        Files.move(part, sink.resolve(transaction + ".committed"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Here the thread of a source is held before it emits. */
    static void emit(String source, Runnable collect) {
        collect.run();
    }

    static void fail(String vertex, int subtask) {
        TASKS.get(vertex + "." + subtask).failExternally(new RuntimeException("the driver lets this task fail"));
    }

    /** A new attempt: it may do nothing yet. */
    synchronized void begins() {
        permits = 0;
        mayEnd = false;
    }

    /** The attempt begins behind so many records. */
    synchronized void beginsAt(long emitted) {
        permits = emitted;
    }

    /** This attempt may emit one more record. */
    synchronized void mayEmit() {
        permits++;
        tell();
    }

    /** This attempt may end. */
    synchronized void mayEnd() {
        mayEnd = true;
        tell();
    }

    /** This attempt makes a call, which waits for its answer. */
    synchronized void mayCall() {
        answer = new CompletableFuture<>();
        mayOnce("call");
    }

    void isAnswered() {
        answer().complete(null);
    }

    /** A future that is complete when the open call, if there is one, has its answer. */
    synchronized CompletableFuture<Void> answer() {
        return answer;
    }

    /** This attempt may do something once: make a call, emit a record that fills a channel, fill the channel. */
    synchronized void mayOnce(String what) {
        once.add(what);
        tell();
    }

    /** Whether a source is to do something that it does once. */
    synchronized boolean takes(String what) {
        return once.remove(what);
    }

    /** From now on each attempt may emit so many records, and may end. */
    synchronized void isFree(long records, boolean ends) {
        free = records;
        isFreeToEnd = ends;
        tell();
    }

    /** Whether a source that has emitted so many records may emit another one. */
    synchronized boolean emits(long emitted) {
        return emitted < Math.max(permits, free);
    }

    synchronized boolean ends() {
        return mayEnd || isFreeToEnd;
    }

    /** A future that is complete if there is something to do after so many records. */
    synchronized CompletableFuture<Void> available(long emitted) {
        return !once.isEmpty() || emits(emitted) || ends() ? CompletableFuture.completedFuture(null) : changed;
    }

    private void tell() {
        CompletableFuture<Void> former = changed;
        changed = new CompletableFuture<>();
        former.complete(null);
    }
}
