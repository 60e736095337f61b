import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;

/**
 * The seventh variation in Java: one pass fills lists of names, first names and months, with a
 * precompiled expression for first names and no more fields split off than are used; streams group and
 * count them.
 */
public class Seven {
    private static final Pattern FIRST_NAME = Pattern.compile(", \\s*([^, ]+)");

    public static void main(String[] args) throws IOException {
        long begin = System.nanoTime();
        List<String> names = new ArrayList<>();
        List<String> firstNames = new ArrayList<>();
        List<String> months = new ArrayList<>();
        try (BufferedReader in = Files.newBufferedReader(Path.of(args[0]), StandardCharsets.US_ASCII)) {
            String line;
            while ((line = in.readLine()) != null) {
                String[] fields = line.split("\\|", 9);
                String name = fields[7].trim();
                names.add(name);
                Matcher matcher = FIRST_NAME.matcher(name);
                if (matcher.find()) {
                    firstNames.add(matcher.group(1));
                }
                String date = fields[4].trim();
                months.add(date.substring(0, 4) + "-" + date.substring(4, 6));
            }
        }

        Map<String, Long> byMonth =
            months.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        Map<String, Long> byName =
            firstNames.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        Map.Entry<String, Long> first =
            byName.entrySet().stream().max(Map.Entry.comparingByValue()).orElse(null);

        System.out.println("seconds: " + (System.nanoTime() - begin) / 1e9);
        System.out.println("lines: " + names.size());
        for (int row : new int[] {0, 432, 43243}) {
            System.out.println("name: " + (row < names.size() ? names.get(row) : ""));
        }
        byMonth.forEach((month, n) -> System.out.println("month: " + month.replace("-", "") + " " + n));
        if (first != null) {
            System.out.println("first: " + first.getKey() + " " + first.getValue());
        }
    }
}
