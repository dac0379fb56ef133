// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** What a file is instead of a key, with the command that makes one of it. */
final class NoKey extends Exception {
  private static final long serialVersionUID = 1;
  private static final String HIDDEN = "(umask 077; openssl ";

  static final String FORM = "it is not a whole key in hexadecimal digits, base64url, PEM, DER or bytes";
  static final String REQUEST =
      "it is a certificate request; its public key: openssl req -in {file} -pubkey -noout -out public.pem";
  static final String PKCS7 =
      "it is PKCS#7; its certificates: openssl pkcs7 -in {file} -print_certs -out certificates.pem";
  static final String PKCS12 = "it is PKCS#12; its key: " + HIDDEN + "pkcs12 -in {file} -nodes -out private.pem)";
  static final String PASSWORD =
      "its key is under a password: " + HIDDEN + "pkey -in {file} -out plain.pem) takes it off";
  static final String RSA_PUBLIC =
      "it is PKCS#1; as others are: openssl rsa -RSAPublicKey_in -in {file} -pubout -out public.pem";
  static final String OPENSSH = "it is in OpenSSH's form; a copy in another: "
      + "cp {file} private.pem && ssh-keygen -p -m PKCS8 -f private.pem";
  static final String OPENSSH_PUBLIC =
      "it is in OpenSSH's form; in PEM: ssh-keygen -e -m PKCS8 -f {file} > public.pem";
  static final String EXPLICIT = "its curve is given by numbers; by its name: "
      + HIDDEN + "pkey -in {file} -ec_param_enc named_curve -out named.pem)";
  static final String PSS = "its key of RSA is only for signatures of RSASSA-PSS; another: "
      + HIDDEN + "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out private.pem)";
  static final String COMPRESSED = "its point has one coordinate; both: "
      + "openssl pkey -pubin -in {file} -ec_conv_form uncompressed -out key.pem";
  static final String OTHER_PAIR = "it holds a private key, and with it the public key of another one";
  static final String DECORATED = "give its hexadecimal digits without 0x, and with nothing between them";
  static final String ODD = "it has an odd number of hexadecimal digits";
  static final String UTF16 = "it is UTF-16; in ASCII: iconv -f UTF-16 -t ASCII {file}";
  static final String JSON = "it is JSON: give the key in PEM, DER or base64url";
  static final String PUBLIC = "it holds a public key, and the private one is wanted";
  static final String PRIVATE =
      "it holds a private key; its public key: openssl pkey -in {file} -pubout -out public.pem";

  NoKey(String reason) {
    super(reason);
  }

  static NoKey form() {
    return new NoKey(FORM);
  }

  boolean isForm() {
    return getMessage().equals(FORM);
  }
}
