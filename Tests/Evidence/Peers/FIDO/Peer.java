// eBay's FIDO UAF server, as a program: a line in, a line of JSON out. fido-peer.sh compiles it with their classes.
//
//     request OPERATION APPID AAID USER [CONTENT]    a request for a client; CONTENT: a text to agree to, in base64url
//     answer OPERATION JSON                          takes a client's answer
//     deregister APPID AAID KEYID                    forgets a key, and tells the client to
//     facets FACET                                   a list of trusted facets
//
// SPDX-License-Identifier: Apache-2.0

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.ebayopensource.fido.uaf.msg.AuthenticationRequest;
import org.ebayopensource.fido.uaf.msg.AuthenticationResponse;
import org.ebayopensource.fido.uaf.msg.DeregisterAuthenticator;
import org.ebayopensource.fido.uaf.msg.DeregistrationRequest;
import org.ebayopensource.fido.uaf.msg.Operation;
import org.ebayopensource.fido.uaf.msg.OperationHeader;
import org.ebayopensource.fido.uaf.msg.RegistrationResponse;
import org.ebayopensource.fido.uaf.msg.Transaction;
import org.ebayopensource.fido.uaf.msg.Version;
import org.ebayopensource.fido.uaf.storage.AuthenticatorRecord;
import org.ebayopensource.fido.uaf.storage.DuplicateKeyException;
import org.ebayopensource.fido.uaf.storage.RegistrationRecord;
import org.ebayopensource.fido.uaf.storage.SystemErrorException;
import org.ebayopensource.fidouaf.facets.Facets;
import org.ebayopensource.fidouaf.facets.TrustedFacets;
import org.ebayopensource.fidouaf.res.util.DeregRequestProcessor;
import org.ebayopensource.fidouaf.res.util.FetchRequest;
import org.ebayopensource.fidouaf.res.util.ProcessResponse;
import org.ebayopensource.fidouaf.res.util.StorageImpl;

final class Peer {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private Peer() {}

  public static void main(String[] arguments) throws IOException {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // what their classes print
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      answers.println(GSON.toJson(answer(line.split(" ", -1), line)));
    }
  }

  private static Object answer(String[] words, String line) {
    switch (words[0]) {
      case "request":
        return request(words);
      case "answer":
        String json = line.substring(words[0].length() + words[1].length() + 2);
        return words[1].equals("Reg") ? registered(json) : authenticated(json);
      case "deregister":
        return deregistration(words[1], words[2], words[3]);
      case "facets":
        return facets(words[1]);
      default:
        throw new IllegalArgumentException(line);
    }
  }

  private static Object request(String[] words) {
    FetchRequest fetch = new FetchRequest(words[2], new String[] {words[3]});
    if (words[1].equals("Reg")) return new Object[] {fetch.getRegistrationRequest(words[4])};
    AuthenticationRequest request = fetch.getAuthenticationRequest();
    if (words.length > 5) {
      Transaction transaction = new Transaction();
      transaction.contentType = "text/plain";
      transaction.content = words[5];
      request.transaction = new Transaction[] {transaction};
    }
    return new Object[] {request};
  }

  private static Object registered(String json) {
    RegistrationResponse response = GSON.fromJson(json, RegistrationResponse[].class)[0];
    RegistrationRecord[] records = new ProcessResponse().processRegResponse(response);
    if (records[0].status.equals("SUCCESS")) {
      try {
        StorageImpl.getInstance().store(records);
      } catch (DuplicateKeyException | SystemErrorException error) {
        return Map.of("status", error.getClass().getSimpleName());
      }
    }
    return records[0];
  }

  private static Object authenticated(String json) {
    AuthenticationResponse response = GSON.fromJson(json, AuthenticationResponse[].class)[0];
    AuthenticatorRecord record = new ProcessResponse().processAuthResponse(response)[0];
    return record.status == null ? Map.of("status", "no record") : record;
  }

  private static Object deregistration(String appID, String aaid, String keyID) {
    DeregistrationRequest request = new DeregistrationRequest();
    request.header = new OperationHeader();
    request.header.op = Operation.Dereg;
    request.header.appID = appID;
    request.header.upv = new Version(1, 0);
    DeregisterAuthenticator authenticator = new DeregisterAuthenticator();
    authenticator.aaid = aaid;
    authenticator.keyID = keyID;
    request.authenticators = new DeregisterAuthenticator[] {authenticator};
    Object[] requests = {request};
    if (!new DeregRequestProcessor().process(GSON.toJson(requests)).equals("Success")) {
      throw new IllegalStateException("deregistration");
    }
    return requests;
  }

  private static Facets facets(String facet) {
    TrustedFacets trusted = new TrustedFacets();
    trusted.version = new Version(1, 0);
    trusted.ids = new String[] {"https://www.example.com", facet};
    Facets facets = new Facets();
    facets.trustedFacets = new TrustedFacets[] {trusted};
    return facets;
  }
}
