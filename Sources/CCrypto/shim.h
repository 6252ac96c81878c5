// What Podflux uses of OpenSSL's libcrypto.
#ifndef CCRYPTO_SHIM_H
#define CCRYPTO_SHIM_H

// Its hash contexts that are plain structs are deprecated in favour of EVP, which hides the state that is saved here.
#define OPENSSL_SUPPRESS_DEPRECATED 1
#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// None of these can fail in libcrypto: they always return 1.
static inline void ccrypto_sha256_begin(SHA256_CTX *context) { (void)SHA256_Init(context); }
static inline void ccrypto_sha384_begin(SHA512_CTX *context) { (void)SHA384_Init(context); }
static inline void ccrypto_sha512_begin(SHA512_CTX *context) { (void)SHA512_Init(context); }

static inline void ccrypto_short_update(SHA256_CTX *context, const void *bytes, size_t length) {
  (void)SHA256_Update(context, bytes, length);
}

static inline void ccrypto_long_update(SHA512_CTX *context, const void *bytes, size_t length) {
  (void)SHA512_Update(context, bytes, length);
}

/// Finalizes a copy of the context, which stays unchanged. `digest` has room for SHA256_DIGEST_LENGTH bytes.
static inline void ccrypto_short_digest(const SHA256_CTX *context, uint8_t *digest) {
  SHA256_CTX copy = *context;
  (void)SHA256_Final(digest, &copy);
}

/// Finalizes a copy of the context, which stays unchanged. `digest` has room for SHA512_DIGEST_LENGTH bytes; a SHA-384 context
/// fills only the first SHA384_DIGEST_LENGTH.
static inline void ccrypto_long_digest(const SHA512_CTX *context, uint8_t *digest) {
  SHA512_CTX copy = *context;
  (void)SHA512_Final(digest, &copy);
}

/// The eight chaining words, and the `buffered` bytes of the incomplete block. `block` has room for
/// SHA256_CBLOCK bytes.
static inline void ccrypto_short_read(
    const SHA256_CTX *context, uint64_t words[8], uint8_t *block, size_t buffered) {
  for (int index = 0; index < 8; index++) words[index] = context->h[index];
  memcpy(block, context->data, buffered);
}

/// The eight chaining words, and the `buffered` bytes of the incomplete block. `block` has room for
/// SHA512_CBLOCK bytes.
static inline void ccrypto_long_read(
    const SHA512_CTX *context, uint64_t words[8], uint8_t *block, size_t buffered) {
  for (int index = 0; index < 8; index++) words[index] = context->h[index];
  memcpy(block, context->u.p, buffered);
}

/// Restores an initialized context to the state after `bits` bits, a whole number of blocks, with these chaining words.
static inline void ccrypto_short_restore(SHA256_CTX *context, const uint64_t words[8], uint64_t bits) {
  for (int index = 0; index < 8; index++) context->h[index] = (SHA_LONG)words[index];
  context->Nl = (SHA_LONG)(bits & 0xFFFFFFFF);
  context->Nh = (SHA_LONG)(bits >> 32);
}

/// Restores an initialized context to the state after `bits` bits, a whole number of blocks, with these chaining words.
static inline void ccrypto_long_restore(SHA512_CTX *context, const uint64_t words[8], uint64_t bits) {
  for (int index = 0; index < 8; index++) context->h[index] = words[index];
  context->Nl = bits;
  context->Nh = 0;
}

// MARK: Sealing. Each function returns whether it succeeded.

enum { ccrypto_key_length = 32, ccrypto_nonce_length = 12, ccrypto_tag_length = 16 };

/// Derives a key of `ccrypto_key_length` bytes with HKDF-SHA256, without a salt (RFC 5869).
static inline bool ccrypto_derive_key(
    const uint8_t *material, size_t length, const uint8_t *purpose, size_t purpose_length, uint8_t *key) {
  EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
  EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
  const OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
    OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)material, length),
    OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)purpose, purpose_length),
    OSSL_PARAM_construct_end(),
  };
  const bool succeeded = context && EVP_KDF_derive(context, key, ccrypto_key_length, parameters) == 1;
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(kdf);
  return succeeded;
}

/// Encrypts with AES-256-GCM (NIST SP 800-38D) under a new random nonce. `header` is authenticated, not encrypted. `sealed`
/// has room for the nonce, `length` bytes and the tag, in this order.
static inline bool ccrypto_seal(
    const uint8_t *key, const uint8_t *header, size_t header_length, const uint8_t *bytes, size_t length,
    uint8_t *sealed) {
  if (length > INT_MAX || header_length > INT_MAX) return false;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  uint8_t *body = sealed + ccrypto_nonce_length;
  int count = 0;
  const bool succeeded = context && RAND_bytes(sealed, ccrypto_nonce_length) == 1
      && EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, sealed) == 1
      && EVP_EncryptUpdate(context, NULL, &count, header, (int)header_length) == 1
      && EVP_EncryptUpdate(context, body, &count, bytes, (int)length) == 1
      && EVP_EncryptFinal_ex(context, body + length, &count) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, ccrypto_tag_length, body + length) == 1;
  EVP_CIPHER_CTX_free(context);
  return succeeded;
}

/// Decrypts what `ccrypto_seal` wrote: `length` bytes, which are at least a nonce and a tag. `bytes` has room for what is
/// between them. False if another key or header was given, or if a byte was changed: then `bytes` is of no use.
static inline bool ccrypto_open(
    const uint8_t *key, const uint8_t *header, size_t header_length, const uint8_t *sealed, size_t length,
    uint8_t *bytes) {
  if (length > INT_MAX || header_length > INT_MAX || length < ccrypto_nonce_length + ccrypto_tag_length) return false;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  const uint8_t *body = sealed + ccrypto_nonce_length;
  const int body_length = (int)length - ccrypto_nonce_length - ccrypto_tag_length;
  int count = 0;
  const bool succeeded = context && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, sealed) == 1
      && EVP_DecryptUpdate(context, NULL, &count, header, (int)header_length) == 1
      && EVP_DecryptUpdate(context, bytes, &count, body, body_length) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, ccrypto_tag_length, (void *)(body + body_length)) == 1
      && EVP_DecryptFinal_ex(context, bytes + body_length, &count) == 1;
  EVP_CIPHER_CTX_free(context);
  return succeeded;
}

#endif
