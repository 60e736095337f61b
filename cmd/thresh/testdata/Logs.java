import ch.qos.logback.classic.encoder.*;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.*;

/** Prints how loggers write "ready": its arguments are a logger and a pattern, and so on. A zero byte ends each text. */
public class Logs {
  public static void main(String[] args) throws Exception {
    PrintStream out = System.out;
    for (int i = 0; i < args.length; i += 2) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      PrintStream stream = new PrintStream(text, true);
      System.setOut(stream);
      System.setErr(stream);
      switch (args[i]) {
        case "jul" -> java.util.logging.Logger.getLogger("app").info("ready");
        case "logback" -> logback(args[i + 1]);
        case "log4j" -> log4j(args[i + 1]);
        default -> throw new IllegalArgumentException(args[i]);
      }
      text.writeTo(out);
      out.write(0);
    }
    out.flush();
  }

  static void logback(String pattern) {
    var context = new ch.qos.logback.classic.LoggerContext();
    context.setMDCAdapter(new ch.qos.logback.classic.util.LogbackMDCAdapter());
    Encoder<ILoggingEvent> encoder = new JsonEncoder();
    if (!pattern.equals("json")) {
      var e = new PatternLayoutEncoder();
      e.setPattern(pattern + "%n");
      encoder = e;
    }
    encoder.setContext(context);
    encoder.start();
    var appender = new ch.qos.logback.core.ConsoleAppender<ILoggingEvent>();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.start();
    var logger = context.getLogger("app.Main");
    logger.addAppender(appender);
    logger.info("ready");
    context.stop();
  }

  static void log4j(String pattern) {
    ConfigurationBuilder<?> b = ConfigurationBuilderFactory.newConfigurationBuilder();
    b.setStatusLevel(Level.ERROR);
    var layout = pattern.contains("%") ? b.newLayout("PatternLayout").addAttribute("pattern", pattern + "%n") : b.newLayout(pattern);
    b.add(b.newAppender("out", "Console").add(layout));
    b.add(b.newRootLogger(Level.INFO).add(b.newAppenderRef("out")));
    var context = Configurator.initialize((Configuration) b.build());
    context.getLogger("app.Main").info("ready");
    context.stop();
  }
}
