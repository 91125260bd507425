import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;

/** Reads URL as MEDIA-TYPE, packed, and prints the length and SHA-256 of what GZIPInputStream makes of it. */
public class Unpack {
    public static void main(String[] words) throws Exception {
        for (int at = 0; at + 1 < words.length; at += 2) {
            HttpURLConnection connection = (HttpURLConnection) URI.create(words[at]).toURL().openConnection();
            connection.setRequestProperty("Accept", words[at + 1]);
            connection.setRequestProperty("Accept-Encoding", "gzip");
            if (!"gzip".equals(connection.getContentEncoding())) {
                throw new IllegalStateException(words[at] + " is not packed");
            }
            try (InputStream bytes = new GZIPInputStream(connection.getInputStream())) {
                byte[] all = bytes.readAllBytes();
                byte[] hash = MessageDigest.getInstance("SHA-256").digest(all);
                System.out.println(all.length + " " + HexFormat.of().formatHex(hash));
            }
        }
    }
}
