import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;

/**
 * The first Java program: a BufferedReader, lines split at all bars by a regular expression, lists of
 * names, first names and months, which are counted afterwards, and a list of entries sorted to find the
 * most common name.
 */
public class Reader {
    public static void main(String[] args) throws IOException {
        long begin = System.nanoTime();
        List<String> names = new ArrayList<>();
        List<String> firstNames = new ArrayList<>();
        List<String> months = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(new FileReader(args[0]))) {
            String line = in.readLine();
            while (line != null) {
                String[] fields = line.split("\\s*\\|\\s*");
                String name = fields[7].trim();
                names.add(name);
                if (name.contains(", ")) {
                    String[] parts = name.split(", ");
                    String rest = parts.length > 1 ? parts[1].trim() : "";
                    if (!rest.isEmpty()) {
                        firstNames.add(rest.contains(" ") ? rest.split(" ")[0] : rest);
                    }
                }
                String date = fields[4];
                months.add(date.substring(0, 4) + "-" + date.substring(4, 6));
                line = in.readLine();
            }
        }

        Map<String, Long> byMonth = new HashMap<>();
        for (String month : months) {
            byMonth.put(month, byMonth.getOrDefault(month, 0L) + 1);
        }
        Map<String, Long> byName = new HashMap<>();
        for (String name : firstNames) {
            byName.put(name, byName.getOrDefault(name, 0L) + 1);
        }
        LinkedList<Map.Entry<String, Long>> sorted = new LinkedList<>(byName.entrySet());
        Collections.sort(sorted, (a, b) -> b.getValue().compareTo(a.getValue()));

        System.out.println("seconds: " + (System.nanoTime() - begin) / 1e9);
        System.out.println("lines: " + names.size());
        for (int row : new int[] {0, 432, 43243}) {
            System.out.println("name: " + (row < names.size() ? names.get(row) : ""));
        }
        for (Map.Entry<String, Long> month : byMonth.entrySet()) {
            System.out.println("month: " + month.getKey().replace("-", "") + " " + month.getValue());
        }
        if (!sorted.isEmpty()) {
            System.out.println("first: " + sorted.getFirst().getKey() + " " + sorted.getFirst().getValue());
        }
    }
}
