// The Java package, as its jar has it: every function, its errors, secrets in memory, threads, the garbage collector.
//
//     java -cp customkeyboard.jar:jna.jar:. Package HEADER LIBRARY  counts checks, and stops at the first that fails
//     java -cp … Package probe keyboard|library|secret|file         calls once, and prints why it cannot
//     java -cp … Package victim KEY PEPPER VERIFIER keep|reveal     a process whose memory the first one searches
//
// SPDX-License-Identifier: Apache-2.0

import com.sun.jna.NativeLibrary;
import customkeyboard.Code;
import customkeyboard.CustomKeyboard;
import customkeyboard.Dukpt;
import customkeyboard.GeneratedKey;
import customkeyboard.InvalidContextException;
import customkeyboard.InvalidKeyException;
import customkeyboard.Key;
import customkeyboard.Keyboard;
import customkeyboard.KeyboardException;
import customkeyboard.Layout;
import customkeyboard.MismatchException;
import customkeyboard.Opaque;
import customkeyboard.OpaqueAnswer;
import customkeyboard.OpaqueState;
import customkeyboard.OpaqueTerms;
import customkeyboard.Opened;
import customkeyboard.Place;
import customkeyboard.Readers;
import customkeyboard.Role;
import customkeyboard.Rule;
import customkeyboard.Secret;
import customkeyboard.Shuffle;
import customkeyboard.SignWay;
import customkeyboard.UndecryptableException;
import customkeyboard.Way;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public final class Package {
  private static final List<Way> SEALED = List.of(Way.SM4_GCM, Way.X25519, Way.P256, Way.SM2, Way.XWING);
  private static final Map<Way, Integer> ECB = Map.of(Way.DES, 8, Way.TRIPLE_DES, 24, Way.SM4, 16);
  private static final String RIGHT = "correct horse 電池 ";
  private static final String WRONG = "correct horse 電池";
  private static final Set<String> LEFT_OUT = Set.of("dukptLoad", "dukptNext", "setupCipher", "cryptECB", "wipeCipher",
      "opaqueRegister", "opaqueRecord", "opaqueLogin", "opaqueFinish");
  private static final byte[] NONE = {};
  private static final SecureRandom RANDOM = new SecureRandom();
  private static int checks;

  private static void check(String what, boolean right) {
    if (!right) {
      throw new AssertionError(what);
    }
    checks++;
  }

  private static void same(String what, Object wanted, Object found) {
    check(what + ": wanted " + wanted + ", found " + found, wanted.equals(found));
  }

  private interface Action {
    void run() throws Exception;
  }

  private static <T extends Throwable> T thrown(String what, Class<T> kind, Action action) {
    try {
      action.run();
    } catch (Throwable error) {
      check(what + ": wanted " + kind + ", found " + error, kind.isInstance(error));
      return kind.cast(error);
    }
    throw new AssertionError(what + ": nothing was thrown");
  }

  private static void fails(Code code, String what, Action action) {
    same(what, code, thrown(what, KeyboardException.class, action).code());
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  private static Secret secret(String text) {
    return Secret.take(utf8(text));
  }

  private static Keyboard typed(String password) {
    Keyboard keyboard = new Keyboard();
    keyboard.open();
    try (Secret characters = secret(password)) {
      keyboard.input(characters);
    }
    return keyboard;
  }

  private static void setKey(Keyboard keyboard, Way way, GeneratedKey pair) {
    if (way == Way.SM4_GCM) {
      keyboard.setEncKey(pair.privateKey(), way);
    } else {
      keyboard.setEncKey(pair.publicKey(), way);
    }
  }

  private static byte[] sealed(Way way, GeneratedKey pair, byte[] context, String password) {
    try (Keyboard keyboard = new Keyboard(); Secret characters = secret(password)) {
      setKey(keyboard, way, pair);
      keyboard.setContext(context);
      keyboard.open();
      keyboard.input(characters);
      return keyboard.getText();
    }
  }

  private static byte[] encrypted(Way way, Secret key, String password) {
    try (Keyboard keyboard = new Keyboard(); Secret characters = secret(password)) {
      keyboard.setEncKey(key, way);
      keyboard.open();
      keyboard.input(characters);
      return keyboard.getText();
    }
  }

  // ---- The package beside the header -------------------------------------------------------------------------------

  private static void contract(String header) throws Exception {
    Class<?> library = Class.forName("customkeyboard.Library");
    Set<String> ours = new TreeSet<>(LEFT_OUT);
    for (Method method : library.getDeclaredMethods()) {
      if (method.getName().startsWith("CustomKeyboard_")) {
        ours.add(method.getName().substring("CustomKeyboard_".length()));
      }
    }
    Set<String> named = new TreeSet<>();
    Matcher functions = Pattern.compile("CustomKeyboard_(\\w+)\\(").matcher(header);
    while (functions.find()) {
      named.add(functions.group(1));
    }
    check("the header has functions", named.size() > 40);
    same("every function of the header is in the package or left out on purpose", named, ours);

    numbers(header, "CUSTOM_ENCWAY_", Way.values());
    numbers(header, "CUSTOM_SIGNWAY_", SignWay.values());
    numbers(header, "CUSTOM_DUKPT_", Dukpt.values());
    numbers(header, "CUSTOM_KEYBOARD_LAYOUT_", Layout.values());
    numbers(header, "CUSTOM_KEYBOARD_SHUFFLE_", Shuffle.values());
    numbers(header, "CUSTOM_KEYBOARD_ROLE_", Role.values());
    numbers(header, "CUSTOM_KEYBOARD_RULE_", Rule.values());
    numbers(header, "CUSTOM_KEYBOARD_(?!LAYOUT_|SHUFFLE_|ROLE_|RULE_)", Code.values());
    Map<String, Integer> sizes = Map.of("CLEARTEXTSIZE", CustomKeyboard.MAX_PASSWORD,
        "TEXTSIZE", CustomKeyboard.MAX_TEXT, "CONTEXTSIZE", CustomKeyboard.MAX_CONTEXT,
        "SEALEDSIZE", CustomKeyboard.MAX_SEALED,
        "KEYS", constant(library, "MAX_KEYS"), "VERIFIERSIZE", constant(library, "MAX_VERIFIER"));
    Map<String, Integer> there = new TreeMap<>();
    Matcher macros = Pattern.compile("#define CUSTOM_KEYBOARD_MAX(\\w+) (\\d+)").matcher(header);
    while (macros.find()) {
      there.put(macros.group(1), Integer.valueOf(macros.group(2)));
    }
    same("sizes", there, new TreeMap<>(sizes));
    Class<?> opaque = Class.forName("customkeyboard.Opaque");
    for (String name : List.of("KE2", "STATE")) {
      check("the size of " + name, header.contains("#define CUSTOM_OPAQUE_" + name + "SIZE " + constant(opaque, name)));
    }
    check("version", header.contains("\"" + CustomKeyboard.version() + "\""));
    for (Code code : Code.values()) {
      check("a sentence for " + code, code.message().length() > 4);
    }
    check("sentences of rules", Rule.COMMON.message().length() > 5);
  }

  private static void numbers(String header, String prefix, Enum<?>[] members) {
    Map<String, Integer> there = new TreeMap<>();
    Matcher values = Pattern.compile(prefix + "(\\w+) = (\\d+)").matcher(header);
    while (values.find()) {
      there.put(values.group(1).equals("3DES") ? "TRIPLE_DES" : values.group(1), Integer.valueOf(values.group(2)));
    }
    Map<String, Integer> ours = new TreeMap<>();
    for (Enum<?> member : members) {
      ours.put(member.name(), member.ordinal());
    }
    same("numbers of " + prefix, there, ours);
  }

  private static int constant(Class<?> library, String name) throws Exception {
    Field field = library.getDeclaredField(name);
    field.setAccessible(true);
    return field.getInt(null);
  }

  // ---- Secrets -----------------------------------------------------------------------------------------------------

  private static void secrets() throws Exception {
    Secret shown = secret("very secret");
    check("no text form", !(shown + String.format("%s", shown) + List.of(shown)).contains("very"));
    thrown("not serialised", NotSerializableException.class,
        () -> new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(shown));
    check("a pair has no text form either", CustomKeyboard.generateKey(Way.X25519).toString().equals("GeneratedKey"));

    byte[] given = utf8("abc");
    Secret abc = Secret.take(given);
    check("what is taken is zeroed", Arrays.equals(given, new byte[3]));
    check("the same", abc.matches(utf8("abc")) && abc.matches(secret("abc")));
    for (String other : List.of("abd", "abcd", "ab", "", "\0\0\0")) {
      check("another: " + other, !abc.matches(utf8(other)) && !abc.matches(secret(other)));
    }
    char[] typed = RIGHT.toCharArray();
    check("characters", Secret.take(typed).matches(utf8(RIGHT)));
    check("they are zeroed", Arrays.equals(typed, new char[typed.length]));
    char[] half = {'a', '\ud83d'};
    thrown("half a pair", IllegalArgumentException.class, () -> Secret.take(half));
    check("it is zeroed, too", half[0] == 0 && half[1] == 0);
    check("a pair", Secret.take("\ud83d\ude00".toCharArray()).matches(hex("f09f9880")));
    same("nothing", 0, Secret.take(NONE).length());

    Secret wiped = secret("to be wiped");
    ByteBuffer view = wiped.view();
    same("a view", ByteBuffer.wrap(utf8("to be wiped")), view.duplicate());
    thrown("a view is read-only", ReadOnlyBufferException.class, () -> view.put(0, (byte) 1));
    wiped.close();
    same("it is wiped", ByteBuffer.wrap(new byte[11]), view);
    thrown("a closed one", IllegalStateException.class, wiped::reveal);
    thrown("a closed one as a key", IllegalStateException.class, () -> CustomKeyboard.publicKey(Way.X25519, wiped));
    wiped.close();

    ByteBuffer forgotten = secret("to be forgotten").view();
    for (int i = 0; i < 500 && forgotten.get(0) != 0; i++) {
      System.gc();
      Thread.sleep(10);
    }
    same("what is forgotten is wiped", ByteBuffer.wrap(new byte[15]), forgotten);

    Path file = Files.createTempFile("key", "");
    byte[] content = random(5000);
    Files.write(file, content);
    for (String rights : List.of("rw-r--r--", "rw----r--", "rw--w----", "rw------x")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
      thrown("a file with " + rights, AccessDeniedException.class, () -> Secret.read(file));
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    check("a file", Secret.read(file).matches(content));
    Files.write(file, NONE);
    thrown("an empty file", IOException.class, () -> Secret.read(file));
    Files.delete(file);
    // A pipe does not tell how much there is in it.
    for (int length : new int[] {0, 1, 4096, 50_000}) {
      byte[] piped = random(length);
      check("a pipe is made", new ProcessBuilder("mkfifo", "-m", "600", file.toString()).start().waitFor() == 0);
      Thread writer = new Thread(() -> {
        try {
          Files.write(file, piped, StandardOpenOption.WRITE);
        } catch (IOException failure) {
          throw new UncheckedIOException(failure);
        }
      });
      writer.start();
      if (length == 0) {
        thrown("an empty pipe", IOException.class, () -> Secret.read(file));
      } else {
        check("a pipe of " + length, Secret.read(file).matches(piped));
      }
      writer.join();
      Files.delete(file);
    }
  }

  /** Java and JNA have many mappings of their own; Linux allows a process 65,530. */
  private static void manySecrets() throws Exception {
    ByteBuffer stale = closed("x").view;
    long before = mappings();
    List<Secret> kept = new ArrayList<>();
    for (int i = 0; i < 40_000; i++) {
      kept.add(secret("a secret of its own " + i));
    }
    long made = mappings() - before;
    check("40,000 secrets make " + made + " mappings", made < 1000);
    int right = 0;
    for (int i = 0; i < kept.size(); i++) {
      right += kept.get(i).matches(utf8("a secret of its own " + i)) ? 1 : 0;
      kept.get(i).close();
    }
    same("secrets that are right", 40_000, right);
    kept.clear();
    // Slots are used again, but never while a view of what was in them can be reached.
    for (int i = 0; i < 20; i++) {
      System.gc();
      Thread.sleep(10);
      for (int n = 0; n < 2000; n++) {
        kept.add(secret("x".repeat(60)));
      }
    }
    same("a view of a secret that was closed", ByteBuffer.wrap(new byte[60]), stale);
    check("slots are used again: " + (mappings() - before) + " mappings", mappings() - before < 1000);
    for (int length : new int[] {0, 1, 63, 64, 65, 16_384, 16_385, 100_000}) {
      byte[] bytes = random(length);
      try (Secret first = Secret.take(bytes.clone()); Secret second = Secret.take(bytes.clone())) {
        check("two of " + length, first.matches(bytes) && second.matches(first));
      }
    }
  }

  private record Closed(ByteBuffer view) {}

  private static Closed closed(String text) {
    try (Secret secret = secret(text.repeat(60))) {
      return new Closed(secret.view());
    }
  }

  private static long mappings() throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.count();
    }
  }

  /** The limit holds for every file, and rights are those of what is read. */
  private static void secretFiles() throws Exception {
    Path folder = Files.createTempDirectory("files");
    Path file = folder.resolve("file");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      for (long length : new long[] {1 << 24, (1 << 24) + 1, 30 << 20, 1L << 40}) {
        sparse.setLength(length);
        if (length == 1 << 24) {
          Secret.read(file).close();
        } else {
          String said = thrown("a file of " + length, IOException.class, () -> Secret.read(file)).getMessage();
          check(said, said.contains("16 MiB"));
        }
      }
    }
    Files.write(file, utf8("shared"));
    for (String rights : List.of("r--r-----", "rw-r-----", "rw-rw----", "r--r-x---", "r--r--r--")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
      thrown("its owner's, " + rights, AccessDeniedException.class, () -> Secret.read(file));
      if (rights.matches(".{3}r--.{2}-") && !rights.endsWith("r--")) {
        check(rights, Secret.read(file, Readers.GROUP).matches(utf8("shared")));
      } else {
        thrown("its group's, " + rights, AccessDeniedException.class, () -> Secret.read(file, Readers.GROUP));
      }
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r-----"));
    if ((int) Files.getAttribute(file, "unix:uid") == 0) { // Only root gives a file to a group that it is not in.
      Files.setAttribute(file, "unix:gid", 54321);
      thrown("another group's", AccessDeniedException.class, () -> Secret.read(file, Readers.GROUP));
    }
    Files.delete(file);

    // A pipe that others may read gets the name of a private file while its opening waits for a writer.
    Path other = folder.resolve("other");
    check("a pipe", new ProcessBuilder("mkfifo", "-m", "644", file.toString()).start().waitFor() == 0);
    Files.createLink(other, file);
    Path hidden = Files.write(folder.resolve("private"), utf8("private"));
    Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rw-------"));
    List<String> got = Collections.synchronizedList(new ArrayList<>());
    Thread reader = new Thread(() -> {
      try {
        got.add(new String(Secret.read(file).reveal(), StandardCharsets.UTF_8));
      } catch (IOException denied) {
        got.add(denied.getClass().getSimpleName());
      }
    });
    reader.start();
    Thread.sleep(300);
    Files.move(hidden, file, StandardCopyOption.REPLACE_EXISTING);
    try (RandomAccessFile writer = new RandomAccessFile(other.toFile(), "rw")) {
      writer.write(utf8("public"));
      Thread.sleep(100);
    }
    reader.join();
    check("what others may read was taken: " + got, List.of("AccessDeniedException", "private").contains(got.get(0)));
    for (Path each : List.of(file, other, folder)) {
      Files.delete(each);
    }
  }

  private static byte[] openssl(Path in, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("openssl"));
    Collections.addAll(command, arguments);
    Process process = new ProcessBuilder(command).redirectInput(in.toFile())
        .redirectError(ProcessBuilder.Redirect.DISCARD).start();
    byte[] output = process.getInputStream().readAllBytes();
    check(String.join(" ", command), process.waitFor() == 0);
    return output;
  }

  /** Files of keys in every form; other files are named. */
  private static void keyFiles() throws Exception {
    Path folder = Files.createTempDirectory("keys");
    Path file = Files.createFile(folder.resolve("key"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Path none = Path.of("/dev/null");
    Base64.Encoder base64url = Base64.getUrlEncoder().withoutPadding();
    for (Way way : SEALED) {
      GeneratedKey pair = CustomKeyboard.generateKey(way);
      byte[] key = pair.privateKey().reveal();
      byte[] shown = way == Way.SM4_GCM ? key : pair.publicKey();
      for (byte[][] form : new byte[][][] {{key, shown}, {utf8(HexFormat.of().formatHex(key) + "\n"),
          utf8(HexFormat.ofDelimiter("\n").withUpperCase().formatHex(shown))},
          {utf8(base64url.encodeToString(key) + "\n"), utf8(base64url.encodeToString(shown))}}) {
        Files.write(file, form[0]);
        check("a key of " + way, Secret.readKey(file, way).matches(key) && Secret.readKey(file).matches(key));
        if (way != Way.SM4_GCM) {
          Files.write(file, form[1]);
          check("a public key of " + way, Arrays.equals(shown, CustomKeyboard.readPublicKey(file, way)));
        }
      }
      Files.write(file, Arrays.copyOf(key, key.length + 1));
      check("its length", thrown("a long key", IOException.class, () -> Secret.readKey(file, way)).getMessage()
          .contains("bytes: a key of " + way));
    }
    for (Map.Entry<Way, String> each : Map.of(Way.X25519, "X25519", Way.P256, "P-256", Way.SM2, "SM2").entrySet()) {
      byte[] pem = each.getKey() == Way.X25519 ? openssl(none, "genpkey", "-algorithm", "X25519")
          : openssl(none, "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:" + each.getValue());
      Path made = Files.write(folder.resolve("pem"), pem);
      byte[] wanted = CustomKeyboard.publicKey(each.getKey(), keyIn(file, pem, each.getKey()));
      for (String form : List.of("DER", "PEM")) {
        byte[] key = openssl(made, "pkey", "-outform", form);
        thrown("a cut key", IOException.class, () -> keyIn(file, Arrays.copyOf(key, 32), each.getKey()));
        check("a pair", Arrays.equals(wanted, CustomKeyboard.publicKey(each.getKey(), keyIn(file, key, null))));
        Files.write(file, openssl(made, "pkey", "-pubout", "-outform", form));
        check("a public key", Arrays.equals(wanted, CustomKeyboard.readPublicKey(file, each.getKey())));
      }
    }
    Path pem = Files.write(folder.resolve("pem"), openssl(none, "genpkey", "-algorithm", "EC", "-pkeyopt",
        "ec_paramgen_curve:P-256"));
    Path rsa = Files.write(folder.resolve("rsa"), openssl(none, "genpkey", "-algorithm", "RSA"));
    byte[] certificate = openssl(none, "req", "-x509", "-key", pem.toString(), "-subj", "/CN=x");
    byte[] bundle = joined(certificate, Files.readAllBytes(rsa), Files.readAllBytes(pem));
    Secret key = keyIn(file, Files.readAllBytes(pem), Way.P256);
    check("a certificate and other keys before the key", keyIn(file, bundle, Way.P256).matches(key));
    check("of RSA", keyIn(file, bundle, Way.RSA).matches(openssl(rsa, "rsa", "-traditional", "-outform", "DER")));
    Files.write(file, bundle);
    check("of a certificate", Arrays.equals(CustomKeyboard.publicKey(Way.P256, key),
        CustomKeyboard.readPublicKey(file, Way.P256)));

    byte[] der = openssl(pem, "pkey", "-outform", "DER");
    der[der.length - 1] ^= 1; // of its public key
    byte[] request = openssl(none, "req", "-new", "-key", pem.toString(), "-subj", "/CN=x");
    byte[] publicRsa = openssl(rsa, "rsa", "-RSAPublicKey_out");
    Files.write(file, certificate);
    for (Map.Entry<String, byte[]> each : List.of(
        Map.entry("public key of another one", der), Map.entry("openssl req -in", request),
        Map.entry("openssl rsa -RSAPublicKey_in", publicRsa), Map.entry("openssl pkcs7",
            openssl(none, "crl2pkcs7", "-nocrl", "-certfile", file.toString())),
        Map.entry("RSASSA-PSS", openssl(none, "genpkey", "-algorithm", "RSA-PSS")),
        Map.entry("-ec_param_enc named_curve", openssl(none, "genpkey", "-algorithm", "EC", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-pkeyopt", "ec_param_enc:explicit")),
        Map.entry("under a password", openssl(pem, "pkey", "-aes256", "-passout", "pass:x")),
        Map.entry("one of Ed25519", openssl(none, "genpkey", "-algorithm", "ED25519")),
        Map.entry("public key, and the private", certificate),
        Map.entry("of P256, not of RSA", Files.readAllBytes(pem)),
        Map.entry("without 0x", utf8("0x89076543")), Map.entry("without 0x", utf8("89:07:65:43")),
        Map.entry("not a whole key", utf8(" \n")), Map.entry("odd number", utf8("abc")))) {
      Way way = each.getKey().contains("RSA") && each.getValue() != publicRsa ? Way.RSA : null;
      String said = thrown(each.getKey(), IOException.class, () -> keyIn(file, each.getValue(), way)).getMessage();
      check(each.getKey() + ": " + said, said.contains(each.getKey()));
    }
    for (Path each : List.of(file, pem, rsa, folder)) {
      Files.delete(each);
    }
  }

  private static Secret keyIn(Path file, byte[] contents, Way way) throws IOException {
    Files.write(file, contents);
    return Secret.readKey(file, way);
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  /** Receives a text on standard input, checks it, and waits. */
  private static void victim(String[] arguments) throws Exception {
    Secret key = Secret.read(Path.of(arguments[1]));
    Secret pepper = Secret.read(Path.of(arguments[2]));
    byte[] text = System.in.readNBytes(192);
    byte[] context = utf8("challenge");
    boolean right;
    byte[] shown = null;
    try (Keyboard keyboard = new Keyboard()) {
      keyboard.receive(Way.X25519, key, context, text);
      right = keyboard.checkVerifier(arguments[3], pepper);
      try (Opened opened = CustomKeyboard.unsealBatch(Way.X25519, key, context, List.of(text, text, text))) {
        right &= opened.failed().length == 0;
        if (arguments[4].equals("reveal")) {
          shown = opened.reveal(1);
        }
      }
      CustomKeyboard.unseal(Way.X25519, key, context, text).close();
      System.out.println(right ? "right" : "wrong");
      System.out.flush();
      System.in.read();
    }
    System.exit(shown != null && shown.length == 0 ? 1 : 0);
  }

  /** How often a process that opened a password has it in its memory, and in a dump of its heap. */
  private static long[] search(String mode) throws Exception {
    StringBuilder password = new StringBuilder();
    for (int i = 0; i < 24; i++) {
      password.append("abcdefghijkmnpqrstuvwxyz".charAt(RANDOM.nextInt(24)));
    }
    byte[] wanted = utf8(password.toString());
    Path folder = Files.createTempDirectory("victim");
    Path keyFile = folder.resolve("key");
    Path pepperFile = folder.resolve("pepper");
    Path dump = folder.resolve("heap");
    try (GeneratedKey pair = CustomKeyboard.generateKey(Way.X25519); Keyboard keyboard = typed(password.toString());
        Secret pepper = Secret.take(random(24))) {
      for (Map.Entry<Path, Secret> entry : Map.of(keyFile, pair.privateKey(), pepperFile, pepper).entrySet()) {
        Files.write(entry.getKey(), entry.getValue().reveal());
        Files.setPosixFilePermissions(entry.getKey(), PosixFilePermissions.fromString("rw-------"));
      }
      String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      Process process = new ProcessBuilder(java, "-Xmx32m", "-cp", System.getProperty("java.class.path"), "Package",
          "victim", keyFile.toString(), pepperFile.toString(), keyboard.makeVerifier(pepper), mode)
          .redirectError(ProcessBuilder.Redirect.INHERIT).start();
      try {
        process.getOutputStream().write(sealed(Way.X25519, pair, utf8("challenge"), password.toString()));
        process.getOutputStream().flush();
        same("the victim", "right\n", new String(process.getInputStream().readNBytes(6), StandardCharsets.UTF_8));
        String jmap = Path.of(System.getProperty("java.home"), "bin", "jmap").toString();
        long inMemory = inMemory(process.pid(), wanted);
        Process dumping = new ProcessBuilder(jmap, "-dump:format=b,file=" + dump, "" + process.pid())
            .redirectErrorStream(true).start();
        String said = new String(dumping.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        check("jmap: " + said, dumping.waitFor() == 0 && Files.size(dump) > 100_000);
        byte[] heap = Files.readAllBytes(dump);
        check("the dump is of that process", count(heap, heap.length, utf8("challenge")) > 0);
        process.getOutputStream().write(1);
        process.getOutputStream().flush();
        same("the victim ends", 0, process.waitFor());
        return new long[] {inMemory, count(heap, heap.length, wanted)};
      } finally {
        process.destroyForcibly();
      }
    } finally {
      for (Path file : List.of(keyFile, pepperFile, dump, folder)) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static long inMemory(long pid, byte[] wanted) throws Exception {
    long found = 0;
    byte[] chunk = new byte[1 << 24];
    try (RandomAccessFile memory = new RandomAccessFile("/proc/" + pid + "/mem", "r")) {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
        String[] words = line.split(" +");
        if (!words[1].startsWith("r") || line.contains("[v")) {
          continue;
        }
        String[] span = words[0].split("-");
        long end = Long.parseLong(span[1], 16);
        for (long at = Long.parseLong(span[0], 16); at < end; at += chunk.length - wanted.length + 1) {
          int length = (int) Math.min(chunk.length, end - at);
          memory.seek(at);
          try {
            memory.readFully(chunk, 0, length);
          } catch (java.io.IOException unreadable) {
            break;
          }
          found += count(chunk, length, wanted);
        }
      }
    }
    return found;
  }

  private static long count(byte[] text, int length, byte[] wanted) {
    long found = 0;
    for (int i = 0; i + wanted.length <= length; i++) {
      if (text[i] == wanted[0] && Arrays.equals(text, i, i + wanted.length, wanted, 0, wanted.length)) {
        found++;
      }
    }
    return found;
  }

  private static void memory() throws Exception {
    long[] kept = search("keep");
    same("the password in memory, heap dump", "0, 0", kept[0] + ", " + kept[1]);
    long[] revealed = search("reveal");
    check("the search of memory finds what was asked for", revealed[0] > 0);
    check("the search of the heap finds what was asked for", revealed[1] > 0);
  }

  // ---- Typing ------------------------------------------------------------------------------------------------------

  private static void typing() {
    for (Way way : ECB.keySet()) {
      Secret key = Secret.take(random(ECB.get(way)));
      check("a text and its password, " + way,
          CustomKeyboard.decrypt(way, key, encrypted(way, key, RIGHT)).matches(utf8(RIGHT)));
    }
    try (Keyboard keyboard = typed(RIGHT)) {
      same("characters", RIGHT.length(), keyboard.count());
    }
    for (Way way : SEALED) {
      GeneratedKey pair = CustomKeyboard.generateKey(way);
      byte[] text = sealed(way, pair, utf8("challenge"), RIGHT);
      byte[] changed = text.clone();
      changed[text.length - 1] ^= 1;
      Secret key = pair.privateKey();
      check("a sealed text, " + way, CustomKeyboard.unseal(way, key, utf8("challenge"), text).matches(utf8(RIGHT)));
      thrown("another context", UndecryptableException.class,
          () -> CustomKeyboard.unseal(way, key, utf8("challengf"), text));
      fails(Code.UNDECRYPTABLE, "altered", () -> CustomKeyboard.unseal(way, key, utf8("challenge"), changed));
      thrown("a short key", InvalidKeyException.class,
          () -> CustomKeyboard.unseal(way, secret("short"), NONE, text));
      if (way != Way.SM4_GCM) {
        check("the public key, " + way, Arrays.equals(CustomKeyboard.publicKey(way, key), pair.publicKey()));
      }
      try (Keyboard keyboard = typed(RIGHT)) {
        byte[] other = way == Way.SM4_GCM ? keyboard.sealTyped(way, key, utf8("to the HSM"))
            : keyboard.sealTyped(way, pair.publicKey(), utf8("to the HSM"));
        check("another recipient, " + way,
            CustomKeyboard.unseal(way, key, utf8("to the HSM"), other).matches(utf8(RIGHT)));
      }
    }
    Set<Integer> places = new HashSet<>();
    Secret zeros = Secret.take(new byte[16]);
    try (Keyboard keyboard = new Keyboard()) {
      keyboard.setEncKey(zeros, Way.SM4);
      keyboard.open();
      for (int i = 0; i < 50; i++) {
        byte[] space = new byte[2048];
        Place place = keyboard.getTextInto(space);
        byte[] text = Arrays.copyOfRange(space, place.offset(), place.offset() + place.length());
        same("an empty password", 0, CustomKeyboard.decrypt(Way.SM4, zeros, text).length());
        places.add(place.offset());
      }
      check("random places", places.size() > 20);
      fails(Code.SPACE, "a small space", () -> keyboard.getTextInto(new byte[15]));
    }
  }

  private static void callbacks() throws Exception {
    List<Object> said = Collections.synchronizedList(new ArrayList<>());
    Secret zeros = Secret.take(new byte[16]);
    try (Keyboard keyboard = new Keyboard()) {
      keyboard.setLayout(Layout.PIN, Shuffle.EACH_OPENING, 4);
      keyboard.setSize(240, 320, 6, 8);
      keyboard.setTextField(said::add);
      keyboard.setOKAction(() -> {
        System.gc();
        said.add(keyboard.getText());
      });
      keyboard.setEncKey(zeros, Way.SM4);
      keyboard.open();
      for (String digit : List.of("2", "5", "8", "1")) {
        Key key = keyboard.keys().stream().filter(each -> each.label().equals(digit)).findFirst().orElseThrow();
        check("a key's text form has no label", !key.toString().contains("label"));
        same("a digit", Role.CHARACTER, key.role());
        keyboard.touch(key.x() + key.width() / 2, key.y() + key.height() / 2);
      }
      same("counts", List.of(1, 2, 3, 4), said.subList(0, 4));
      check("the text", CustomKeyboard.decrypt(Way.SM4, zeros, (byte[]) said.get(4)).matches(utf8("2581")));
      List<Key> keys = keyboard.keys();
      same("twelve keys in a grid", "1 1 4 3", keys.get(0).row() + " " + keys.get(0).column() + " "
          + keys.get(11).row() + " " + keys.get(11).column());
      keyboard.setTextField(null);
      keyboard.deleteBackward();
      keyboard.clear();
      same("no more calls", "0 5", keyboard.count() + " " + said.size());
      fails(Code.ARGUMENT, "no such key", () -> keyboard.pressKey(99));
      keyboard.dismiss();
      fails(Code.OP_DISABLE, "keys of an idle keyboard", keyboard::keys);

      List<Throwable> caught = new ArrayList<>();
      Thread thread = Thread.currentThread();
      thread.setUncaughtExceptionHandler((where, error) -> caught.add(error));
      keyboard.setTextField(count -> {
        throw new IllegalStateException("of a callback");
      });
      keyboard.open();
      keyboard.pressKey(0);
      keyboard.pressKey(1);
      thread.setUncaughtExceptionHandler(null);
      same("what a callback threw", "of a callback", caught.get(0).getMessage());
      check("it changed nothing", keyboard.count() >= 1);
    }
    Keyboard ending = new Keyboard();
    ending.setTextField(count -> ending.close());
    ending.open();
    try (Secret character = secret("a")) {
      ending.input(character);
    }
    fails(Code.ARGUMENT, "closed by its callback", ending::count);
  }

  private static void states() throws Exception {
    Keyboard keyboard = new Keyboard();
    Secret zeros = Secret.take(new byte[32]);
    fails(Code.OP_DISABLE, "dismiss, idle", keyboard::dismiss);
    fails(Code.OP_DISABLE, "input, idle", () -> keyboard.input(secret("a")));
    keyboard.open();
    fails(Code.OP_DISABLE, "open twice", keyboard::open);
    fails(Code.ERR, "no key", keyboard::getText);
    fails(Code.ARGUMENT, "not UTF-8", () -> keyboard.input(Secret.take(hex("ff"))));
    fails(Code.MAXLEN, "long", () -> keyboard.input(secret("a".repeat(129))));
    fails(Code.MAXLEN, "a long context", () -> keyboard.setContext(new byte[257]));
    fails(Code.ARGUMENT, "no verifier", () -> keyboard.checkVerifier("nonsense", null));
    fails(Code.ARGUMENT, "a verifier with NUL", () -> keyboard.checkVerifier("a\0b", null));
    fails(Code.ARGUMENT, "not ECB", () -> CustomKeyboard.decrypt(Way.X25519, zeros, new byte[8]));
    fails(Code.ARGUMENT, "not sealed", () -> CustomKeyboard.unseal(Way.SM4, zeros, NONE, new byte[8]));
    fails(Code.ARGUMENT, "RSA", () -> CustomKeyboard.generateKey(Way.RSA));
    thrown("null", NullPointerException.class, () -> keyboard.input(null));
    thrown("no key", NullPointerException.class, () -> keyboard.receive(Way.SM4, null, null, new byte[16]));
    keyboard.close();
    keyboard.close();
    fails(Code.ARGUMENT, "closed", keyboard::open);
    KeyboardException error = thrown("refused", KeyboardException.class, () -> new Keyboard().clear());
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    new ObjectOutputStream(written).writeObject(error);
    ObjectInputStream reader = new ObjectInputStream(new ByteArrayInputStream(written.toByteArray()));
    KeyboardException again = (KeyboardException) reader.readObject();
    same("an exception over a wire", error.code() + error.getMessage(), again.code() + again.getMessage());
  }

  // ---- Passcodes ---------------------------------------------------------------------------------------------------

  private static void passcodes() throws Exception {
    try (Keyboard keyboard = typed("123456")) {
      keyboard.addRule(Rule.MIN_LENGTH, 6);
      keyboard.addRule(Rule.DIGITS);
      same("no rule refuses", OptionalInt.empty(), keyboard.check());
      keyboard.addRule(Rule.MATCH, "[a-f]+");
      same("the third refuses", OptionalInt.of(2), keyboard.check());
      keyboard.clearRules();
      same("no rules", OptionalInt.empty(), keyboard.check());
      check("common", keyboard.isRefused(Rule.COMMON, 0, ""));
      check("no date", !keyboard.isRefused(Rule.DATE, 0, "1999-12-31"));
      fails(Code.ARGUMENT, "a rule without its number", () -> keyboard.addRule(Rule.SAME));
    }
    same("a pattern", OptionalInt.empty(), CustomKeyboard.checkPattern("a(b|c)*"));
    same("no pattern", OptionalInt.of(1), CustomKeyboard.checkPattern("a(b"));

    Secret pepper = secret("p".repeat(16));
    try (Keyboard keyboard = typed(RIGHT); Keyboard other = typed(WRONG); Keyboard again = typed(RIGHT)) {
      String verifier = keyboard.makeVerifier(pepper);
      check("a verifier", verifier.startsWith("$argon2id$v=19$m=19456,t=2,p=1$"));
      check("right", again.checkVerifier(verifier, pepper));
      fails(Code.ARGUMENT, "a verifier and more", () -> again.checkVerifier(verifier + "\0", pepper));
      check("no pepper", !again.checkVerifier(verifier, null));
      check("wrong", !other.checkVerifier(verifier, pepper));
      check("the same password", keyboard.hasSamePassword(again));
      check("another password", !keyboard.hasSamePassword(other));
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      String imported = "$sha256d$" + HexFormat.of().formatHex(sha256.digest(sha256.digest(utf8(RIGHT))));
      check("an imported verifier", again.checkVerifier(imported, null));
      check("another", !other.checkVerifier(imported, null));

      Secret first = keyboard.deriveKey(utf8("saltsalt"), null, 64, 1, 32);
      check("the same key", first.matches(keyboard.deriveKey(utf8("saltsalt"), null, 64, 1, 32)));
      check("another pepper", !first.matches(keyboard.deriveKey(utf8("saltsalt"), secret("p"), 64, 1, 32)));
      same("a long key", 64, keyboard.deriveKey(utf8("saltsalt"), null, 64, 1, 64).length());
      fails(Code.ARGUMENT, "a short salt", () -> keyboard.deriveKey(utf8("short"), null, 0, 0, 32));
    }

    GeneratedKey pair = CustomKeyboard.generateKey(Way.XWING);
    byte[] text = sealed(Way.XWING, pair, utf8("challenge"), RIGHT);
    try (Keyboard keyboard = new Keyboard(); Keyboard other = typed(RIGHT)) {
      thrown("another challenge", UndecryptableException.class,
          () -> keyboard.receive(Way.XWING, pair.privateKey(), utf8("other"), text));
      keyboard.receive(Way.XWING, pair.privateKey(), utf8("challenge"), text);
      check("received", keyboard.hasSamePassword(other));
    }
  }

  private static void signing() {
    for (Map.Entry<SignWay, Way> ways : Map.of(SignWay.P256, Way.P256, SignWay.SM2, Way.SM2).entrySet()) {
      SignWay way = ways.getKey();
      GeneratedKey pair = CustomKeyboard.generateKey(ways.getValue());
      byte[] text = utf8("text".repeat(1000));
      byte[] signature = CustomKeyboard.signText(way, pair.privateKey(), utf8("context"), text);
      byte[] shorter = Arrays.copyOf(signature, signature.length - 1);
      check("right", CustomKeyboard.verifyText(way, pair.publicKey(), utf8("context"), text, signature));
      check("another context", !CustomKeyboard.verifyText(way, pair.publicKey(), utf8("contexu"), text, signature));
      check("shorter", !CustomKeyboard.verifyText(way, pair.publicKey(), utf8("context"), text, shorter));
      thrown("no key", InvalidKeyException.class, () -> CustomKeyboard.verifyText(way, NONE, NONE, NONE, signature));
    }
  }

  /** ANSI X9.24-1's own example: BDK, KSN, and the PIN block of 1234 for the account 4012345678909. */
  private static void pinBlocks() {
    Secret base = Secret.take(hex("0123456789abcdeffedcba9876543210"));
    byte[] ksn = hex("ffff9876543210e00001");
    check("the initial key", CustomKeyboard.dukptInitialKey(Dukpt.TDES, base, hex("ffff9876543210e00000"))
        .matches(hex("6ac292faa1315b4d858ab3a3d7d5933a")));
    Secret key = CustomKeyboard.dukptKey(Dukpt.TDES, base, ksn);
    try (Keyboard keyboard = new Keyboard(); Keyboard expected = typed("1234")) {
      keyboard.receive(Way.PIN0, key, utf8("4012345678909"), hex("1b9c1845eb993a7a"));
      check("the PIN", keyboard.hasSamePassword(expected));
    }
    thrown("a short KSN", InvalidKeyException.class, () -> CustomKeyboard.dukptKey(Dukpt.TDES, base, new byte[9]));
  }

  private static void says(Class<? extends KeyboardException> kind, String words, Action action) {
    KeyboardException error = thrown(words, kind, action);
    check(words + ": " + error, error.getClass() == kind && error.getMessage().contains(words));
    check("no digits of a card", !error.getMessage().contains("4111"));
  }

  private static void causes() {
    Secret key = Secret.take(hex("0123456789abcdeffedcba9876543210"));
    try (Keyboard idle = new Keyboard(); Keyboard keyboard = typed("1234")) {
      says(InvalidContextException.class, "card's number",
          () -> idle.receive(Way.PIN4, key, utf8("4111 1111 1111 1111"), new byte[16]));
      says(InvalidKeyException.class, "key serial number", () -> CustomKeyboard.dukptKey(Dukpt.TDES, key, new byte[9]));
      says(KeyboardException.class, "pepper", () -> keyboard.makeVerifier(Secret.take(new byte[65])));
      says(KeyboardException.class, "bcrypt", () -> keyboard.checkVerifier("$2b$12$" + "x".repeat(53), null));
      says(InvalidKeyException.class, "No key is set", keyboard::getText);
      keyboard.dismiss();
      keyboard.setEncKey(key, Way.SM4_GCM);
      keyboard.open();
      says(InvalidContextException.class, "No context is set", keyboard::getText);
    }
  }

  // ---- OPAQUE ------------------------------------------------------------------------------------------------------

  private static final byte[] ACCOUNT = utf8("7");
  private static final OpaqueTerms TERMS = new OpaqueTerms(utf8("shop-1"), utf8("anna"), utf8("bank"), 8, 1, 1);

  private static byte[][] registered(GeneratedKey setup, String password, OpaqueTerms terms) {
    try (Client client = new Client(password, terms)) {
      byte[] response = Opaque.respond(setup.privateKey(), ACCOUNT, client.request());
      check("the response has the server's key",
          Arrays.equals(setup.publicKey(), Arrays.copyOfRange(response, 32, response.length)));
      return client.record(response);
    }
  }

  private static void opaqueLogins() {
    GeneratedKey setup = Opaque.setup();
    same("a setup", 96, setup.privateKey().length());
    // Terms of the client, terms of the server.
    OpaqueTerms empty = new OpaqueTerms(NONE);
    for (OpaqueTerms[] terms : new OpaqueTerms[][] {{TERMS, TERMS}, {empty, empty}, {empty, null}}) {
      for (String password : List.of(RIGHT, "", "x".repeat(128))) {
        byte[][] record = registered(setup, password, terms[0]);
        try (Client client = new Client(password, terms[0]);
            OpaqueAnswer answer =
                Opaque.answer(setup.privateKey(), ACCOUNT, record[0], terms[1], client.ke1())) {
          Client.Finished finished = client.finish(answer.ke2());
          check("the client is content", finished != null);
          try (Secret session = answer.state().check(finished.ke3())) {
            check("a session key", session.matches(finished.session()));
          }
          check("an export key", Arrays.equals(record[1], finished.export()));
        }
      }
    }
    byte[] record = registered(setup, RIGHT, TERMS)[0];
    OpaqueTerms[] others = {
      null, new OpaqueTerms(utf8("shop-2"), TERMS.client(), TERMS.server(), 8, 1, 1),
      new OpaqueTerms(TERMS.context(), utf8("annb"), TERMS.server(), 8, 1, 1),
      new OpaqueTerms(TERMS.context(), TERMS.client(), utf8("ban"), 8, 1, 1),
    };
    for (OpaqueTerms other : others) {
      refusedLogin("other terms", setup, RIGHT, ACCOUNT, record, other);
    }
    refusedLogin("another password", setup, WRONG, ACCOUNT, record, TERMS);
    refusedLogin("another account", setup, RIGHT, utf8("8"), record, TERMS);
    refusedLogin("an unknown account", setup, RIGHT, ACCOUNT, null, TERMS);
    try (Client client = new Client(RIGHT, TERMS)) {
      byte[] ke1 = client.ke1();
      byte[] known = Opaque.answer(setup.privateKey(), ACCOUNT, record, TERMS, ke1).ke2();
      byte[] unknown = Opaque.answer(setup.privateKey(), ACCOUNT, null, TERMS, ke1).ke2();
      check("the forms of both are one", known.length == unknown.length && Arrays.equals(known, 0, 32, unknown, 0, 32));
    }
  }

  private static void refusedLogin(
      String what, GeneratedKey setup, String password, byte[] account, byte[] record, OpaqueTerms terms) {
    try (Client client = new Client(password, TERMS)) {
      OpaqueAnswer answer = Opaque.answer(setup.privateKey(), account, record, terms, client.ke1());
      check(what + ", at the client", client.finish(answer.ke2()) == null);
      fails(Code.MISMATCH, what, () -> answer.state().check(new byte[64]));
      thrown(what + ", again", IllegalStateException.class, () -> answer.state().check(new byte[64]));
    }
  }

  private static void opaqueStates() throws Exception {
    GeneratedKey setup = Opaque.setup();
    byte[] record = registered(setup, RIGHT, TERMS)[0];
    try (Client client = new Client(RIGHT, TERMS)) {
      // Right, altered, short, empty, none: the state is used, and wiped.
      for (int fault = 0; fault <= 4; fault++) {
        OpaqueAnswer answer = Opaque.answer(setup.privateKey(), ACCOUNT, record, TERMS, client.ke1());
        Secret kept = answer.state().take();
        OpaqueState state = new OpaqueState(kept);
        thrown("a state that was taken", IllegalStateException.class, answer.state()::take);
        byte[] ke3 = client.finish(answer.ke2()).ke3();
        byte[] altered = ke3.clone();
        altered[63] ^= 1;
        switch (fault) {
          case 0 -> same("a session key", 64, state.check(ke3).length());
          case 1 -> thrown("an altered KE3", MismatchException.class, () -> state.check(altered));
          case 2 -> thrown("a short KE3", MismatchException.class, () -> state.check(Arrays.copyOf(ke3, 63)));
          case 3 -> thrown("an empty KE3", MismatchException.class, () -> state.check(NONE));
          default -> thrown("no KE3", NullPointerException.class, () -> state.check(null));
        }
        thrown("a state that was used", IllegalStateException.class, () -> state.check(ke3));
        thrown("a state that was used", IllegalStateException.class, state::take);
        thrown("its bytes", IllegalStateException.class, kept::view);
      }
      OpaqueAnswer answer = Opaque.answer(setup.privateKey(), ACCOUNT, record, TERMS, client.ke1());
      same("no text form", "OpaqueState", answer.state().toString());
      check("an answer has none of its bytes", answer.toString().contains("state=OpaqueState]"));
      answer.close();
      answer.state().close();
      thrown("a state that was closed", IllegalStateException.class, () -> answer.state().check(new byte[64]));
      Secret closed = Secret.take(new byte[128]);
      closed.close();
      thrown("a state of nothing", IllegalStateException.class, () -> new OpaqueState(closed));

      // One of many threads gets the session key.
      ExecutorService pool = pool(6);
      for (int i = 0; i < 50; i++) {
        OpaqueAnswer shared = Opaque.answer(setup.privateKey(), ACCOUNT, record, TERMS, client.ke1());
        byte[] ke3 = client.finish(shared.ke2()).ke3();
        CyclicBarrier together = new CyclicBarrier(6);
        List<Future<Boolean>> checks = new ArrayList<>();
        for (int thread = 0; thread < 6; thread++) {
          checks.add(pool.submit(() -> {
            together.await();
            try (Secret session = shared.state().check(ke3)) {
              return session.length() == 64;
            } catch (IllegalStateException used) {
              return false;
            }
          }));
        }
        int right = 0;
        for (Future<Boolean> found : checks) {
          right += found.get() ? 1 : 0;
        }
        same("session keys", 1, right);
      }
      pool.shutdown();
    }
  }

  private static void opaqueCodes() {
    GeneratedKey generated = Opaque.setup();
    Secret setup = generated.privateKey();
    byte[] zeros = setup.reveal();
    Arrays.fill(zeros, 64, 96, (byte) 0);
    byte[] record = registered(generated, RIGHT, TERMS)[0];
    byte[] tooLong = new byte[256];
    try (Client client = new Client(RIGHT, TERMS); Secret zeroKey = Secret.take(zeros)) {
      byte[] request = client.request();
      fails(Code.ARGUMENT, "no account", () -> Opaque.respond(setup, NONE, request));
      fails(Code.MAXLEN, "a long account", () -> Opaque.respond(setup, tooLong, request));
      fails(Code.ERR, "no setup", () -> Opaque.respond(Secret.take(NONE), ACCOUNT, request));
      fails(Code.ERR, "a setup without a key", () -> Opaque.respond(zeroKey, ACCOUNT, request));
      fails(Code.UNDECRYPTABLE, "a short request",
          () -> Opaque.respond(setup, ACCOUNT, Arrays.copyOf(request, 31)));
      fails(Code.UNDECRYPTABLE, "the identity", () -> Opaque.respond(setup, ACCOUNT, new byte[32]));
      byte[] ke1 = client.ke1();
      fails(Code.ARGUMENT, "no account", () -> Opaque.answer(setup, NONE, record, null, ke1));
      for (int[] costs : new int[][] {{8, 0, 0}, {8, 1, 17}, {7, 1, 1}, {-1, 1, 1}}) {
        OpaqueTerms terms = new OpaqueTerms(NONE, NONE, NONE, costs[0], costs[1], costs[2]);
        fails(Code.ARGUMENT, "costs", () -> Opaque.answer(setup, ACCOUNT, record, terms, ke1));
      }
      fails(Code.MAXLEN, "a long account", () -> Opaque.answer(setup, tooLong, record, null, ke1));
      for (OpaqueTerms terms : List.of(new OpaqueTerms(new byte[257]), new OpaqueTerms(NONE, tooLong, NONE, 0, 0, 0),
          new OpaqueTerms(NONE, NONE, tooLong, 0, 0, 0))) {
        fails(Code.MAXLEN, "long terms", () -> Opaque.answer(setup, ACCOUNT, record, terms, ke1));
      }
      fails(Code.ERR, "a setup without a key", () -> Opaque.answer(zeroKey, ACCOUNT, record, null, ke1));
      fails(Code.ERR, "a short record", () -> Opaque.answer(setup, ACCOUNT, Arrays.copyOf(record, 191), null, ke1));
      fails(Code.ERR, "a lost record", () -> Opaque.answer(setup, ACCOUNT, NONE, null, ke1));
      fails(Code.ERR, "a record of zeros", () -> Opaque.answer(setup, ACCOUNT, new byte[192], null, ke1));
      fails(Code.UNDECRYPTABLE, "a short KE1",
          () -> Opaque.answer(setup, ACCOUNT, record, null, Arrays.copyOf(ke1, 95)));
      fails(Code.UNDECRYPTABLE, "the identity", () -> Opaque.answer(setup, ACCOUNT, null, null, new byte[96]));
      fails(Code.ERR, "a short state", () -> new OpaqueState(Secret.take(new byte[127])).check(new byte[64]));
      thrown("no request", NullPointerException.class, () -> Opaque.respond(setup, ACCOUNT, null));
      setup.close();
      thrown("a closed setup", IllegalStateException.class, () -> Opaque.respond(setup, ACCOUNT, request));
      thrown("a closed setup", IllegalStateException.class, () -> Opaque.answer(setup, ACCOUNT, null, null, ke1));
    }
  }

  // ---- Batches -----------------------------------------------------------------------------------------------------

  private static void batches() {
    List<byte[]> texts = new ArrayList<>();
    for (Way way : SEALED) {
      GeneratedKey pair = CustomKeyboard.generateKey(way);
      List<byte[]> contexts = new ArrayList<>();
      texts.clear();
      for (int i = 0; i < 40; i++) {
        contexts.add(utf8("c" + i % 7));
        texts.add(sealed(way, pair, contexts.get(i), "p" + i));
      }
      texts.set(3, Arrays.copyOf(texts.get(3), texts.get(3).length - 1));
      texts.set(5, new byte[texts.get(5).length]);
      contexts.set(9, new byte[300]);
      ByteBuffer view;
      try (Opened opened = CustomKeyboard.unsealBatch(way, pair.privateKey(), contexts, texts)) {
        same("failed, " + way, "[3, 5, 9]", Arrays.toString(opened.failed()));
        same("code", Code.UNDECRYPTABLE, opened.code(3));
        same("code", Code.MAXLEN, opened.code(9));
        for (int i = 0; i < 40; i++) {
          if (opened.code(i) == Code.OK) {
            same("a password of " + way, "p" + i, new String(opened.reveal(i), StandardCharsets.UTF_8));
            check("alone", CustomKeyboard.unseal(way, pair.privateKey(), contexts.get(i), texts.get(i))
                .matches(opened.reveal(i)));
          }
        }
        thrown("a bad one", UndecryptableException.class, () -> opened.view(3));
        thrown("none", IndexOutOfBoundsException.class, () -> opened.view(40));
        view = opened.view(39);
        thrown("read-only", ReadOnlyBufferException.class, () -> opened.view(39).put(0, (byte) 1));
        same("jobs", 40, opened.size());
      }
      same("wiped", ByteBuffer.wrap(new byte[3]), view);
      thrown("a wrong key", InvalidKeyException.class,
          () -> CustomKeyboard.unsealBatch(way, secret("short"), NONE, texts));
    }
    Secret zeros = Secret.take(new byte[16]);
    fails(Code.ARGUMENT, "not sealed", () -> CustomKeyboard.unsealBatch(Way.SM4, zeros, NONE, texts));
    same("no jobs", 0, CustomKeyboard.unsealBatch(
        Way.X25519, CustomKeyboard.generateKey(Way.X25519).privateKey(), NONE, List.of()).size());
    thrown("few contexts", IllegalArgumentException.class,
        () -> CustomKeyboard.unsealBatch(Way.X25519, zeros, List.of(NONE), texts));

    for (Way way : ECB.keySet()) {
      List<Secret> keys = new ArrayList<>();
      byte[] joined = new byte[50 * ECB.get(way)];
      texts.clear();
      for (int i = 0; i < 50; i++) {
        byte[] key = random(ECB.get(way));
        System.arraycopy(key, 0, joined, i * key.length, key.length);
        keys.add(Secret.take(key));
        texts.add(encrypted(way, keys.get(i), "x".repeat(i)));
      }
      texts.set(7, Arrays.copyOf(texts.get(7), 7));
      Secret packed = Secret.take(joined);
      for (Opened opened : List.of(CustomKeyboard.decryptBatch(way, keys, texts),
          CustomKeyboard.decryptBatch(way, packed, texts))) {
        same("failed, " + way, "[7]", Arrays.toString(opened.failed()));
        for (int i : List.of(0, 1, 49)) {
          same("a password", "x".repeat(i), new String(opened.reveal(i), StandardCharsets.UTF_8));
        }
        opened.close();
      }
      thrown("few keys", IllegalArgumentException.class,
          () -> CustomKeyboard.decryptBatch(way, keys.subList(1, 50), texts));
      thrown("an odd key", IllegalArgumentException.class,
          () -> CustomKeyboard.decryptBatch(way, Secret.take(new byte[51]), texts));
    }
    same("no jobs", 0, CustomKeyboard.decryptBatch(Way.SM4, List.<Secret>of(), List.of()).size());
  }

  /** Threads that do not outlive a test that has failed. */
  private static ExecutorService pool(int count) {
    return Executors.newFixedThreadPool(count, task -> {
      Thread thread = new Thread(task);
      thread.setDaemon(true);
      return thread;
    });
  }

  // ---- Threads -----------------------------------------------------------------------------------------------------

  private static void threads() throws Exception {
    AtomicBoolean calling = new AtomicBoolean();
    Thread deriving = new Thread(() -> {
      try (Keyboard keyboard = typed(RIGHT)) {
        calling.set(true);
        keyboard.deriveKey(utf8("saltsalt"), null, 262_144, 3, 32).close();
        calling.set(false);
      }
    });
    deriving.start();
    while (!calling.get()) {
      Thread.onSpinWait();
    }
    int collections = 0;
    while (calling.get()) {
      System.gc();
      collections++;
    }
    deriving.join();
    check("the collector runs during a call: " + collections, collections > 2);

    ExecutorService pool = pool(8);
    GeneratedKey pair = CustomKeyboard.generateKey(Way.X25519);
    List<Callable<Boolean>> jobs = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      String password = "p" + i;
      jobs.add(() -> {
        byte[] text = sealed(Way.X25519, pair, utf8("c"), password);
        try (Keyboard keyboard = new Keyboard(); Keyboard other = typed(password)) {
          keyboard.receive(Way.X25519, pair.privateKey(), utf8("c"), text);
          return keyboard.hasSamePassword(other)
              && CustomKeyboard.unseal(Way.X25519, pair.privateKey(), utf8("c"), text).matches(utf8(password));
        }
      });
    }
    for (Future<Boolean> each : pool.invokeAll(jobs)) {
      check("eight threads", each.get());
    }

    // What a call reads is kept until it returns: it answers a wrong key or none, and does not crash.
    for (int i = 0; i < 20; i++) {
      GeneratedKey ending = CustomKeyboard.generateKey(Way.P256);
      byte[] text = sealed(Way.P256, ending, NONE, RIGHT);
      Future<Boolean> opening = pool.submit(() -> {
        try {
          for (int n = 0; n < 50; n++) {
            CustomKeyboard.unseal(Way.P256, ending.privateKey(), NONE, text).close();
          }
          return true;
        } catch (KeyboardException | IllegalStateException expected) {
          return true;
        }
      });
      ending.close();
      check("a key that is closed during a call", opening.get());

      Keyboard keyboard = typed("a");
      Future<Boolean> counting = pool.submit(() -> {
        try {
          for (int n = 0; n < 5000; n++) {
            keyboard.count();
          }
          return true;
        } catch (KeyboardException expected) {
          return expected.code() == Code.ARGUMENT;
        }
      });
      keyboard.close();
      check("a keyboard that is closed during a call", counting.get());
    }
    // What a call answers whose key was closed meanwhile says nothing about a person's PIN.
    boolean isDuring = false;
    for (int i = 0; i < 50 && !isDuring; i++) {
      Secret pepper = secret("pepper");
      AtomicBoolean begins = new AtomicBoolean();
      AtomicBoolean ended = new AtomicBoolean();
      Future<Secret> derived = pool.submit(() -> {
        try (Keyboard keyboard = typed(RIGHT)) {
          begins.set(true);
          return keyboard.deriveKey(utf8("saltsalt"), pepper, 65_536, 3, 32);
        } finally {
          ended.set(true);
        }
      });
      while (!begins.get()) {
        Thread.onSpinWait();
      }
      Thread.sleep(i);
      pepper.close();
      isDuring = !ended.get();
      if (isDuring) {
        same("a pepper that is closed during a call", IllegalStateException.class,
            thrown("it", ExecutionException.class, derived::get).getCause().getClass());
      }
    }
    check("a secret is closed during a call", isDuring);
    pool.shutdown();

    // A forgotten keyboard is destroyed.
    Field field = Keyboard.class.getDeclaredField("handle");
    field.setAccessible(true);
    long handle = field.getLong(typed(RIGHT));
    Method count = Class.forName("customkeyboard.Library")
        .getDeclaredMethod("CustomKeyboard_count", long.class, long[].class);
    count.setAccessible(true);
    int code = 0;
    for (int i = 0; i < 500 && code == 0; i++) {
      System.gc();
      Thread.sleep(10);
      code = (int) count.invoke(null, handle, new long[1]);
    }
    same("a forgotten keyboard", Code.ARGUMENT.ordinal(), code);
  }

  private static void probe(String first) throws IOException {
    try {
      switch (first) {
        case "keyboard" -> new Keyboard();
        case "library" -> CustomKeyboard.version();
        case "secret" -> Secret.take(NONE);
        default -> Secret.read(Path.of("/dev/null"));
      }
    } catch (UnsatisfiedLinkError error) {
      System.out.println(error.getMessage());
    }
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("victim")) {
      victim(arguments);
      return;
    }
    if (arguments[0].equals("probe")) {
      probe(arguments[1]);
      return;
    }
    contract(Files.readString(new File(arguments[0]).toPath()));
    secrets();
    manySecrets();
    secretFiles();
    keyFiles();
    typing();
    callbacks();
    states();
    passcodes();
    signing();
    pinBlocks();
    causes();
    Client.library = NativeLibrary.getInstance(arguments[1]);
    opaqueLogins();
    opaqueStates();
    opaqueCodes();
    batches();
    threads();
    memory();
    System.out.println("java: " + checks + " checks");
  }
}
