// The server's side of OpenSSL's TLS over memory, for the scripted origin.
#ifndef CTLS_SHIM_H
#define CTLS_SHIM_H

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The server's protocols, as a list of names with their lengths (RFC 7301 section 3.1).
typedef struct {
  uint8_t *bytes;
  unsigned int length;
} CTLSProtocols;

/// A client that offers none of them gets no protocol, and may go on.
static inline int ctls_select_protocol(
    SSL *ssl, const unsigned char **selected, unsigned char *selected_length, const unsigned char *offered,
    unsigned int offered_length, void *argument) {
  const CTLSProtocols *own = argument;
  unsigned char *found = NULL;
  const int result =
      SSL_select_next_proto(&found, selected_length, own->bytes, own->length, offered, offered_length);
  *selected = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// A server's context; NULL if the files are of no use. `protocols` must outlive it.
static inline SSL_CTX *ctls_make_context(
    const char *certificate_path, const char *private_key_path, const CTLSProtocols *protocols) {
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  if (context && SSL_CTX_use_certificate_chain_file(context, certificate_path) == 1
      && SSL_CTX_use_PrivateKey_file(context, private_key_path, SSL_FILETYPE_PEM) == 1
      && SSL_CTX_check_private_key(context) == 1) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_alpn_select_cb(context, ctls_select_protocol, (void *)protocols);
    return context;
  }
  SSL_CTX_free(context);
  return NULL;
}

/// A server's end of a connection, which reads and writes memory: `ctls_received` and `ctls_take` are its network.
static inline SSL *ctls_make_connection(SSL_CTX *context) {
  SSL *ssl = SSL_new(context);
  if (!ssl) return NULL;
  SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_accept_state(ssl);
  return ssl;
}

/// Gives the bytes to the connection that came from the network.
static inline bool ctls_received(SSL *ssl, const void *bytes, size_t length) {
  return length <= INT_MAX && BIO_write(SSL_get_rbio(ssl), bytes, (int)length) == (int)length;
}

/// How many bytes the connection has for the network.
static inline size_t ctls_pending(SSL *ssl) { return BIO_ctrl_pending(SSL_get_wbio(ssl)); }

/// Takes up to `length` of them, and returns how many.
static inline size_t ctls_take(SSL *ssl, void *bytes, size_t length) {
  const int count = BIO_read(SSL_get_wbio(ssl), bytes, length > INT_MAX ? INT_MAX : (int)length);
  return count > 0 ? (size_t)count : 0;
}

/// What an operation came to.
typedef enum {
  CTLSDone,
  /// Bytes of the network are needed first.
  CTLSNeedsBytes,
  /// The client has sent its close_notify.
  CTLSEnded,
  CTLSFailed,
} CTLSResult;

static inline CTLSResult ctls_result(SSL *ssl, int result) {
  if (result > 0) return CTLSDone;
  switch (SSL_get_error(ssl, result)) {
    case SSL_ERROR_WANT_READ: return CTLSNeedsBytes;
    case SSL_ERROR_ZERO_RETURN: return CTLSEnded;
    default: return CTLSFailed;
  }
}

static inline CTLSResult ctls_handshake(SSL *ssl) {
  ERR_clear_error();
  return ctls_result(ssl, SSL_do_handshake(ssl));
}

/// Decrypts up to `length` bytes.
static inline CTLSResult ctls_read(SSL *ssl, void *bytes, size_t length, size_t *count) {
  ERR_clear_error();
  return ctls_result(ssl, SSL_read_ex(ssl, bytes, length, count));
}

/// Encrypts all bytes, at least one.
static inline CTLSResult ctls_write(SSL *ssl, const void *bytes, size_t length) {
  size_t count = 0;
  ERR_clear_error();
  return ctls_result(ssl, SSL_write_ex(ssl, bytes, length, &count));
}

/// Writes a close_notify, unless the connection has failed.
static inline void ctls_end(SSL *ssl) {
  ERR_clear_error();
  (void)SSL_shutdown(ssl);
}

#endif
