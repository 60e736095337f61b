import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Exercise 3: the design of revision 9 in Java. One thread reads lines, the others parse 65,536 each,
 * without a regular expression, and count them under a lock.
 */
public class Nine {
    private static final int CHUNK_LINES = 64 * 1024;
    private static final int[] ROWS = {0, 432, 43243};

    private static final Map<Integer, Long> byMonth = new HashMap<>();
    private static final Map<String, Long> byName = new HashMap<>();
    private static final String[] names = {"", "", ""};
    private static long lineCount;

    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        long begin = System.nanoTime();
        ExecutorService workers = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        List<Future<?>> chunks = new ArrayList<>();
        try (BufferedReader in = Files.newBufferedReader(Path.of(args[0]), StandardCharsets.ISO_8859_1)) {
            List<String> lines = new ArrayList<>(CHUNK_LINES);
            String line;
            while ((line = in.readLine()) != null) {
                lines.add(line);
                if (lines.size() == CHUNK_LINES) {
                    submit(workers, chunks, lines);
                    lines = new ArrayList<>(CHUNK_LINES);
                }
            }
            submit(workers, chunks, lines);
            for (Future<?> chunk : chunks) {
                chunk.get();
            }
        } finally {
            workers.shutdownNow();
        }
        Map.Entry<String, Long> first =
            byName.entrySet().stream().max(Map.Entry.comparingByValue()).orElse(null);

        System.out.println("seconds: " + (System.nanoTime() - begin) / 1e9);
        System.out.println("lines: " + lineCount);
        for (String name : names) {
            System.out.println("name: " + name);
        }
        byMonth.forEach((month, n) -> System.out.println("month: " + String.format("%06d", month) + " " + n));
        if (first != null) {
            System.out.println("first: " + first.getKey() + " " + first.getValue());
        }
    }

    private static void submit(ExecutorService workers, List<Future<?>> chunks, List<String> lines) {
        int row = chunks.size() * CHUNK_LINES;
        chunks.add(workers.submit(() -> process(row, lines)));
    }

    private static void process(int row, List<String> lines) {
        int[] months = new int[lines.size()];
        String[] firstNames = new String[lines.size()];
        String[] found = new String[ROWS.length];
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            int image = after(line, 0, 4);
            int begin = after(line, image, 3);
            String name = line.substring(begin, line.indexOf('|', begin)).trim();
            months[i] = Integer.parseInt(line, image, image + 6, 10);
            firstNames[i] = firstName(name);
            for (int k = 0; k < ROWS.length; k++) {
                if (row + i == ROWS[k]) {
                    found[k] = name;
                }
            }
        }
        synchronized (byMonth) {
            for (int i = 0; i < months.length; i++) {
                byMonth.merge(months[i], 1L, Long::sum);
                if (!firstNames[i].isEmpty()) {
                    byName.merge(firstNames[i], 1L, Long::sum);
                }
            }
            for (int k = 0; k < ROWS.length; k++) {
                names[k] = found[k] != null ? found[k] : names[k];
            }
            lineCount += months.length;
        }
    }

    /** Returns where the field begins that many bars later. */
    private static int after(String line, int begin, int bars) {
        for (int i = 0; i < bars; i++) {
            int bar = line.indexOf('|', begin);
            if (bar < 0) {
                throw new IllegalArgumentException("not a donation: " + line);
            }
            begin = bar + 1;
        }
        return begin;
    }

    private static String firstName(String name) {
        int comma = name.indexOf(", ");
        if (comma < 0) {
            return "";
        }
        int begin = comma + 2;
        while (begin < name.length() && name.charAt(begin) == ' ') {
            begin++;
        }
        int end = begin;
        while (end < name.length() && name.charAt(end) != ' ' && name.charAt(end) != ',') {
            end++;
        }
        return name.substring(begin, end);
    }
}
