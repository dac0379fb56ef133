/// Whether a key schedule encrypts or decrypts.
public enum Direction: Sendable { case encryption, decryption }
