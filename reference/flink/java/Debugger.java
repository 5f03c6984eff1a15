import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassType;
import com.sun.jdi.Field;
import com.sun.jdi.Location;
import com.sun.jdi.Method;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.PrimitiveValue;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.Value;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.VoidValue;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.ListeningConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodExitEvent;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodExitRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Starts a JVM, stops its threads at hooks, and lets them go when it is told to.
 *
 * <p>The arguments are the command line of the JVM. It connects to this process over a port of
 * loopback that the system chooses. Standard input has one command a line, with tabs between words:
 *
 * <pre>
 * hook NUMBER CLASS METHOD PARAMETERS|* PATH...   before `run`; PARAMETERS is their number. If a path
 *                                                 ends with ^TEXT, only threads come where its value
 *                                                 begins with the text
 * run                                             starts the JVM
 * go TOKEN                                        lets a held thread go on
 * skip TOKEN                                      returns from the method at once, with nothing
 * fail TOKEN                                      returns a failed future from the method at once
 * true TOKEN, false TOKEN                         returns this value from the method at once
 * done TOKEN                                      returns a completed future from the method at once
 * throw TOKEN                                     throws an error in the method at once
 * set TOKEN FIELD VALUE                           gives a field of `this` a value, and lets the thread go on
 * follow TOKEN                                    lets a held thread go on, and tells the result
 * job TEXT                                        a line for the JVM's standard input
 * disarm                                          lets all threads go, and holds none from here on
 * arm                                             holds threads again
 * </pre>
 *
 * Standard output has one JSON object a line, in the order in which things happened. The end of
 * standard input ends both processes.
 */
public class Debugger {
    private static final String FUTURE = "java.util.concurrent.CompletableFuture";
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    /** A method at which threads stop. */
    private record Hook(int number, String method, String parameters, List<String> paths) {}

    private final Map<String, List<Hook>> hooks = new HashMap<>();
    private final Map<Integer, ThreadReference> held = new ConcurrentHashMap<>();
    /** The hooks of held threads. */
    private final Map<Integer, Hook> places = new ConcurrentHashMap<>();
    /** Of hooks at which not all threads come: the hooks and threads that have come, and have not left. */
    private final Set<List<Long>> inside = new HashSet<>();
    /** Of threads whose next result is told: what waits for the end of the method. */
    private final Map<ThreadReference, MethodExitRequest> followed = new ConcurrentHashMap<>();
    private Process process;
    private VirtualMachine machine;
    private int tokens;
    /** Whether threads are held. It changes, and threads are held, under the lock of `held`. */
    private boolean isArmed = true;

    public static void main(String[] command) throws Exception {
        new Debugger().run(command);
    }

    private void run(String[] command) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null && !line.equals("run"); ) {
            String[] words = line.split("\t");
            List<String> paths = List.of(words).subList(5, words.length);
            Hook hook = new Hook(Integer.parseInt(words[1]), words[3], words[4], paths);
            hooks.computeIfAbsent(words[2], name -> new ArrayList<>()).add(hook);
        }
        connect(command);
        Thread commands = new Thread(() -> obey(input), "commands");
        commands.setDaemon(true);
        commands.start();
        watch();
        process.waitFor(10, TimeUnit.SECONDS);
        say("\"event\":\"ended\",\"code\":" + (process.isAlive() ? -1 : process.exitValue()));
        end();
    }

    private void connect(String[] command) throws Exception {
        ListeningConnector connector = Bootstrap.virtualMachineManager().listeningConnectors().stream()
                .filter(each -> each.name().equals("com.sun.jdi.SocketListen")).findFirst().orElseThrow();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("localAddress").setValue("127.0.0.1");
        arguments.get("port").setValue("0");
        arguments.get("timeout").setValue("60000");
        String address = connector.startListening(arguments);
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        List<String> line = new ArrayList<>(List.of(command));
        line.add(1, "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:" + port);
        process = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        Thread relay = new Thread(() -> relay(process.getInputStream()), "relay");
        relay.setDaemon(true);
        relay.start();
        machine = connector.accept(arguments);
        connector.stopListening(arguments);
        for (String name : hooks.keySet()) {
            ClassPrepareRequest request = machine.eventRequestManager().createClassPrepareRequest();
            request.addClassFilter(name);
            request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
            request.enable();
        }
        // The event of the start is first in the queue, and to go on from it resumes all threads.
    }

    private void relay(InputStream stream) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line; (line = lines.readLine()) != null; ) {
                say("\"event\":\"job\",\"line\":" + quoted(line));
            }
        } catch (IOException closed) {
            // The JVM has ended: the event queue says so.
        }
    }

    private void obey(BufferedReader input) {
        try {
            OutputStream job = process.getOutputStream();
            for (String line; (line = input.readLine()) != null; ) {
                String[] words = line.split("\t", 2);
                switch (words[0]) {
                    case "job" -> {
                        job.write((words[1] + "\n").getBytes(StandardCharsets.UTF_8));
                        job.flush();
                    }
                    case "disarm" -> disarm();
                    case "arm" -> {
                        synchronized (held) {
                            isArmed = true;
                        }
                    }
                    default -> {
                        String[] about = words[1].split("\t");
                        letGo(Integer.parseInt(about[0]), words[0], about);
                    }
                }
            }
        } catch (IOException | VMDisconnectedException gone) {
            // The event queue says so.
        }
        end();
    }

    private void disarm() {
        synchronized (held) {
            isArmed = false;
            held.values().forEach(ThreadReference::resume);
            held.clear();
            places.clear();
            inside.clear();
        }
    }

    private void letGo(int token, String command, String[] about) {
        ThreadReference thread = held.remove(token);
        Hook hook = places.remove(token);
        if (thread == null) {
            return;
        }
        if (!command.equals("go")) {
            try {
                Method method = thread.frame(0).location().method();
                switch (command) {
                    case "follow" -> follow(token, thread, method);
                    case "set" -> set(thread.frame(0).thisObject(), about[1], about[2]);
                    case "fail" -> thread.forceEarlyReturn(future(thread, "failedFuture", error(thread)));
                    case "throw" -> thread.stop(error(thread));
                    case "done" -> thread.forceEarlyReturn(future(thread, "completedFuture", null));
                    case "true", "false" -> thread.forceEarlyReturn(machine.mirrorOf(command.equals("true")));
                    default -> thread.forceEarlyReturn(method.returnTypeName().equals("void") ? machine.mirrorOfVoid() : null);
                }
            } catch (Exception refused) {
                say("\"event\":\"refused\",\"why\":" + quoted(refused.toString()));
            }
            if (!command.equals("follow") && !command.equals("set")) {
                synchronized (held) { // no breakpoint at a return tells that the thread has left
                    inside.remove(List.of((long) hook.number(), thread.uniqueID()));
                }
            }
        }
        thread.resume();
    }

    private void set(ObjectReference owner, String name, String value) throws Exception {
        Field field = owner.referenceType().fieldByName(name);
        Value made = value.equals("null") ? null : switch (field.typeName()) {
            case "int" -> machine.mirrorOf(Integer.parseInt(value));
            case "long" -> machine.mirrorOf(Long.parseLong(value));
            case "boolean" -> machine.mirrorOf(Boolean.parseBoolean(value));
            default -> throw new IllegalArgumentException("a field of type " + field.typeName());
        };
        owner.setValue(field, made);
    }

    private void follow(int token, ThreadReference thread, Method method) {
        MethodExitRequest exit = machine.eventRequestManager().createMethodExitRequest();
        exit.addThreadFilter(thread);
        exit.addClassFilter(method.declaringType());
        exit.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        exit.putProperty("method", method);
        exit.putProperty("token", token);
        MethodExitRequest former = followed.put(thread, exit);
        if (former != null) {
            machine.eventRequestManager().deleteEventRequest(former);
        }
        exit.enable();
    }

    /** Tells what a method has returned, or `throws`, if somebody wants to know. */
    private void ends(ThreadReference thread, Method method, String result) {
        MethodExitRequest exit = followed.get(thread);
        if (exit != null && exit.getProperty("method").equals(method)) {
            followed.remove(thread);
            machine.eventRequestManager().deleteEventRequest(exit);
            say("\"event\":\"result\",\"token\":" + exit.getProperty("token") + ",\"value\":" + result);
        }
    }

    private ObjectReference error(ThreadReference thread) throws Exception {
        ClassType error = (ClassType) machine.classesByName("java.lang.RuntimeException").get(0);
        List<Value> why = List.of(machine.mirrorOf("the driver lets this call fail"));
        Method constructor = error.concreteMethodByName("<init>", "(Ljava/lang/String;)V");
        return error.newInstance(thread, constructor, why, ClassType.INVOKE_SINGLE_THREADED);
    }

    private Value future(ThreadReference thread, String maker, Value of) throws Exception {
        ClassType future = (ClassType) machine.classesByName(FUTURE).get(0);
        return future.invokeMethod(thread, future.methodsByName(maker).get(0), Arrays.asList(of), ClassType.INVOKE_SINGLE_THREADED);
    }

    private void end() {
        if (process != null) {
            process.destroyForcibly();
        }
        OUT.flush();
        Runtime.getRuntime().halt(0);
    }

    private void watch() throws InterruptedException {
        try {
            while (true) {
                EventSet events = machine.eventQueue().remove();
                boolean resumes = true;
                for (Event event : events) {
                    if (event instanceof ClassPrepareEvent prepared) {
                        prepare(prepared.referenceType());
                    } else if (event instanceof BreakpointEvent stopped) {
                        resumes &= !isHeld(stopped);
                    } else if (event instanceof MethodExitEvent left) {
                        ends(left.thread(), left.method(), shown(left.returnValue()));
                    } else if (event instanceof VMDeathEvent || event instanceof VMDisconnectEvent) {
                        return;
                    }
                }
                if (resumes) {
                    events.resume();
                }
            }
        } catch (VMDisconnectedException gone) {
            // The JVM has ended.
        }
    }

    // Hooks

    private void prepare(ReferenceType type) {
        for (Hook hook : hooks.get(type.name())) {
            List<Method> methods = type.methodsByName(hook.method()).stream()
                    .filter(each -> each.declaringType().equals(type) && !each.isAbstract() && !each.isBridge())
                    .filter(each -> hook.parameters().equals("*") || hook.parameters().equals(String.valueOf(each.argumentTypeNames().size()))).toList();
            if (methods.size() != 1) {
                say("\"event\":\"missing\",\"hook\":" + hook.number() + ",\"found\":" + methods.size());
                continue;
            }
            Method method = methods.get(0);
            stopAt(method.locationOfCodeIndex(0), hook, "entry");
            for (long index : returns(method.bytecodes())) {
                stopAt(method.locationOfCodeIndex(index), hook, (method.bytecodes()[(int) index] & 0xff) == THROW ? "throw" : "return");
            }
            say("\"event\":\"found\",\"hook\":" + hook.number());
        }
    }

    private void stopAt(Location location, Hook hook, String place) {
        BreakpointRequest request = machine.eventRequestManager().createBreakpointRequest(location);
        request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        request.putProperty("hook", hook);
        request.putProperty("place", place);
        request.enable();
    }

    private boolean isHeld(BreakpointEvent stopped) {
        synchronized (held) {
            return isArmed && comes(stopped);
        }
    }

    /** Says that a thread has come to a hook. A thread at an entry is held until it is let go. */
    private boolean comes(BreakpointEvent stopped) {
        Hook hook = (Hook) stopped.request().getProperty("hook");
        boolean isEntry = stopped.request().getProperty("place").equals("entry");
        ThreadReference thread = stopped.thread();
        List<Long> visit = List.of((long) hook.number(), thread.uniqueID());
        if (hook.paths().stream().anyMatch(path -> path.contains("^"))) {
            boolean comes = isEntry ? hook.paths().stream().allMatch(path -> is(thread, path)) && inside.add(visit) : inside.remove(visit);
            if (!comes) {
                return false;
            }
        }
        StringBuilder told = new StringBuilder("\"event\":\"hook\",\"hook\":" + hook.number());
        told.append(",\"at\":").append(isEntry ? "\"entry\"" : "\"return\"");
        told.append(",\"thread\":").append(thread.uniqueID());
        told.append(",\"name\":").append(quoted(thread.name()));
        if (stopped.request().getProperty("place").equals("throw")) {
            ends(thread, stopped.location().method(), quoted("throws"));
        }
        if (isEntry) {
            int token = tokens++;
            told.append(",\"token\":").append(token).append(",\"values\":[");
            for (int i = 0; i < hook.paths().size(); i++) {
                told.append(i == 0 ? "" : ",").append(read(thread, hook.paths().get(i).split("\\^")[0]));
            }
            told.append("]");
            held.put(token, thread);
            places.put(token, hook);
        }
        say(told.toString());
        return isEntry;
    }

    /** Whether the value at a path begins with the text that the path ends with, if it does. */
    private boolean is(ThreadReference thread, String path) {
        String[] parts = path.split("\\^");
        return parts.length == 1 || read(thread, parts[0]).startsWith("\"" + parts[1]);
    }

    /**
     * The value at a path such as `this.a.b` or `0.c`, where `0` is the first argument; `@type` is a class. The path
     * `caller` is the name of the method that has called this one.
     */
    private String read(ThreadReference thread, String path) {
        try {
            if (path.equals("caller")) {
                return quoted(thread.frame(1).location().method().name());
            }
            StackFrame frame = thread.frame(0);
            String[] parts = path.split("\\.");
            Value value = parts[0].equals("this") ? frame.thisObject() : frame.getArgumentValues().get(Integer.parseInt(parts[0]));
            for (int i = 1; i < parts.length && value != null; i++) {
                ObjectReference owner = (ObjectReference) value;
                if (parts[i].equals("@type")) {
                    String name = owner.referenceType().name();
                    return quoted(name.substring(name.lastIndexOf('.') + 1));
                }
                Field field = owner.referenceType().fieldByName(parts[i]);
                if (field == null) {
                    return "{\"missing\":" + quoted(parts[i]) + "}";
                }
                value = owner.getValue(field);
            }
            return shown(value);
        } catch (Exception unreadable) {
            return "{\"missing\":" + quoted(unreadable.toString()) + "}";
        }
    }

    private static String shown(Value value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof VoidValue) {
            return quoted("void");
        }
        if (value instanceof StringReference text) {
            return quoted(text.value());
        }
        if (value instanceof PrimitiveValue) {
            return value.toString();
        }
        ObjectReference object = (ObjectReference) value;
        Field name = object.referenceType().fieldByName("name"); // of an enum
        return name == null ? quoted(object.referenceType().name()) : shown(object.getValue(name));
    }

    // Byte code

    private static final int TABLE_SWITCH = 170, LOOKUP_SWITCH = 171, FIRST_RETURN = 172, LAST_RETURN = 177, THROW = 191, WIDE = 196, IINC = 132;

    /** The places at which a method returns. */
    private static List<Long> returns(byte[] code) {
        List<Long> found = new ArrayList<>();
        for (int at = 0; at < code.length; at += length(code, at)) {
            int operation = code[at] & 0xff;
            if (FIRST_RETURN <= operation && operation <= LAST_RETURN || operation == THROW) {
                found.add((long) at);
            }
        }
        return found;
    }

    /** The length of the instruction at a place, by the specification of the Java virtual machine. */
    private static int length(byte[] code, int at) {
        int operation = code[at] & 0xff;
        int aligned = at + 4 - at % 4;
        switch (operation) {
            case TABLE_SWITCH:
                return aligned + 12 + 4 * (integer(code, aligned + 8) - integer(code, aligned + 4) + 1) - at;
            case LOOKUP_SWITCH:
                return aligned + 8 + 8 * integer(code, aligned + 4) - at;
            case WIDE:
                return (code[at + 1] & 0xff) == IINC ? 6 : 4;
            default:
                return 1 + operands(operation);
        }
    }

    private static int operands(int operation) {
        if (operation == 16 || operation == 18 || (21 <= operation && operation <= 25)
                || (54 <= operation && operation <= 58) || operation == 169 || operation == 188) {
            return 1;
        }
        if (operation == 17 || operation == 19 || operation == 20 || operation == IINC || (153 <= operation && operation <= 168)
                || (178 <= operation && operation <= 184) || operation == 187 || operation == 189
                || operation == 192 || operation == 193 || operation == 198 || operation == 199) {
            return 2;
        }
        if (operation == 197) {
            return 3;
        }
        return operation == 185 || operation == 186 || operation == 200 || operation == 201 ? 4 : 0;
    }

    private static int integer(byte[] code, int at) {
        return (code[at] & 0xff) << 24 | (code[at + 1] & 0xff) << 16 | (code[at + 2] & 0xff) << 8 | code[at + 3] & 0xff;
    }

    // Output

    private static synchronized void say(String fields) {
        OUT.println("{" + fields + "}");
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                quoted.append('\\').append(each);
            } else if (each < ' ' || each > '~') {
                quoted.append(String.format("\\u%04x", (int) each));
            } else {
                quoted.append(each);
            }
        }
        return quoted.append('"').toString();
    }
}
