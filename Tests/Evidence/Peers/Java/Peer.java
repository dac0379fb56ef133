// Bouncy Castle as a peer of sealed texts and signatures: answers the lines that peers.py writes. Opening is in
// Recipes.java, which is made from Docs/SealedTexts.md.
// SPDX-License-Identifier: Apache-2.0

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Arrays;
import org.bouncycastle.asn1.gm.GMNamedCurves;
import org.bouncycastle.asn1.nist.NISTNamedCurves;
import org.bouncycastle.crypto.Signer;
import org.bouncycastle.crypto.modes.AEADCipher;
import org.bouncycastle.crypto.modes.ChaCha20Poly1305;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.digests.SM3Digest;
import org.bouncycastle.crypto.engines.AESEngine;
import org.bouncycastle.crypto.engines.SM2Engine;
import org.bouncycastle.crypto.engines.SM4Engine;
import org.bouncycastle.crypto.modes.GCMBlockCipher;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.crypto.params.ParametersWithRandom;
import org.bouncycastle.crypto.params.X25519PrivateKeyParameters;
import org.bouncycastle.crypto.params.X25519PublicKeyParameters;
import org.bouncycastle.crypto.signers.DSADigestSigner;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.PlainDSAEncoding;
import org.bouncycastle.crypto.signers.SM2Signer;
import org.bouncycastle.util.encoders.Hex;

class Peer {
  static final SecureRandom random = new SecureRandom();
  static final ECDomainParameters sm2 = new ECDomainParameters(GMNamedCurves.getByName("sm2p256v1"));
  static final ECDomainParameters p256 = new ECDomainParameters(NISTNamedCurves.getByName("P-256"));

  static byte[] join(byte[]... parts) {
    int count = 0;
    for (byte[] part : parts) count += part.length;
    byte[] all = new byte[count];
    count = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, count, part.length);
      count += part.length;
    }
    return all;
  }

  static byte[] drawn(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  static byte[] sealHPKE(boolean isX25519, byte[] key, byte[] context, byte[] block) throws Exception {
    byte[] enc, shared = new byte[32], output = new byte[block.length + 16];
    if (isX25519) {
      var ephemeral = new X25519PrivateKeyParameters(random);
      ephemeral.generateSecret(new X25519PublicKeyParameters(key, 0), shared, 0);
      enc = ephemeral.generatePublicKey().getEncoded();
    } else {
      var ephemeral = new BigInteger(255, random).add(BigInteger.ONE);
      shared = publicKey(p256, key).getQ().multiply(ephemeral).normalize().getAffineXCoord().getEncoded();
      enc = p256.getG().multiply(ephemeral).getEncoded(false);
    }
    AEADCipher cipher = isX25519 ? new ChaCha20Poly1305() : new GCMBlockCipher(new AESEngine());
    cipher.init(true, Recipes.derive(isX25519, shared, enc, key, context));
    cipher.doFinal(output, cipher.processBytes(block, 0, block.length, output, 0));
    return join(enc, output);
  }

  // nonce, ciphertext, tag
  static byte[] gcm(boolean isSealing, byte[] key, byte[] nonce, byte[] context, byte[] input) throws Exception {
    var gcm = new GCMBlockCipher(new SM4Engine());
    gcm.init(isSealing, new AEADParameters(new KeyParameter(key), 128, nonce, context));
    byte[] output = new byte[gcm.getOutputSize(input.length)];
    gcm.doFinal(output, gcm.processBytes(input, 0, input.length, output, 0));
    return output;
  }

  static byte[] sealGCM(byte[] key, byte[] context, byte[] block) throws Exception {
    byte[] nonce = drawn(12);
    return join(nonce, gcm(true, key, nonce, context, block));
  }

  static byte[] sealSM2(byte[] key, byte[] context, byte[] block) throws Exception {
    var engine = new SM2Engine(SM2Engine.Mode.C1C3C2);
    engine.init(true, new ParametersWithRandom(publicKey(sm2, key), random));
    byte[] session = drawn(16);
    return join(engine.processBlock(session, 0, 16), sealGCM(session, context, block));
  }

  static ECPublicKeyParameters publicKey(ECDomainParameters curve, byte[] key) {
    return new ECPublicKeyParameters(curve.getCurve().decodePoint(key), curve);
  }

  static Signer signer(String way, boolean isSigning, byte[] key) {
    var curve = way.equals("SM2") ? sm2 : p256;
    Signer signer = way.equals("SM2")
      ? new SM2Signer(PlainDSAEncoding.INSTANCE, new SM3Digest())
      : new DSADigestSigner(new ECDSASigner(), new SHA256Digest(), PlainDSAEncoding.INSTANCE);
    signer.init(isSigning,
        isSigning ? new ECPrivateKeyParameters(new BigInteger(1, key), curve) : publicKey(curve, key));
    return signer;
  }

  static String answer(String[] words) throws Exception {
    byte[][] bytes = new byte[words.length][];
    for (int i = 2; i < words.length; i++) bytes[i] = words[i].equals("-") ? new byte[0] : Hex.decode(words[i]);
    byte[] a = bytes[2], b = bytes[3], c = words.length > 4 ? bytes[4] : null;
    switch (words[0] + " " + words[1]) {
      case "open X25519": return Hex.toHexString(Recipes.unseal(Recipes.loadKey(true, a), b, c));
      case "open P256": return Hex.toHexString(Recipes.unseal(Recipes.loadKey(false, a), b, c));
      case "open SM2": return Hex.toHexString(Recipes.openSM2(a, b, c));
      case "open SM4_GCM":
        return Hex.toHexString(gcm(false, a, Arrays.copyOf(c, 12), b, Arrays.copyOfRange(c, 12, c.length)));
      case "seal X25519": return Hex.toHexString(sealHPKE(true, a, b, c));
      case "seal P256": return Hex.toHexString(sealHPKE(false, a, b, c));
      case "seal SM2": return Hex.toHexString(sealSM2(a, b, c));
      case "seal SM4_GCM": return Hex.toHexString(sealGCM(a, b, c));
      case "sign P256": case "sign SM2":
        Signer signer = signer(words[1], true, a);
        signer.update(b, 0, b.length);
        return Hex.toHexString(signer.generateSignature());
      case "verify P256": case "verify SM2":
        Signer verifier = signer(words[1], false, a);
        verifier.update(b, 0, b.length);
        return verifier.verifySignature(c) ? "right" : "wrong";
      default: return "what?";
    }
  }

  public static void main(String[] arguments) throws Exception {
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String said;
      try {
        said = answer(line.split(" "));
      } catch (Exception e) {
        said = "refused";
      }
      System.out.println(said);
      System.out.flush();
    }
  }
}
