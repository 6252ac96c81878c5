// OpenSSL's hash contexts that are plain structs: the only ones whose state can be saved and restored.
#ifndef CCRYPTO_SHIM_H
#define CCRYPTO_SHIM_H

// Deprecated in favour of EVP, which hides its state.
#define OPENSSL_SUPPRESS_DEPRECATED 1
#include <openssl/sha.h>
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

#endif
