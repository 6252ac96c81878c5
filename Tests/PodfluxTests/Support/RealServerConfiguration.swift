import Foundation
import ScriptedOrigin

/// The configurations of real servers that serve the same folders in the same ways.
struct RealServerConfiguration {
  let folder: String
  let port: UInt16
  let securePort: UInt16
  /// Where requests below `/away/` are redirected to.
  let elsewhere: String?

  private var certificate: String { TLSMaterial.fixture.certificatePath }
  private var key: String { TLSMaterial.fixture.privateKeyPath }
  private var kibibytes: Int { RealServer.limitedKibibytesPerSecond }

  /// For nginx 1.22.
  var nginx: String {
    """
    daemon off;
    worker_processes 1;
    user www-data;
    pid \(folder)/pid;
    error_log \(folder)/errors;
    events { worker_connections 256; }
    http {
      log_format fields '$uri|$http_range|$http_if_range|$status|$server_protocol|$http_authorization';
      access_log \(folder)/requests fields;
      client_body_temp_path \(folder)/body;
      proxy_temp_path \(folder)/proxy;
      fastcgi_temp_path \(folder)/fastcgi;
      uwsgi_temp_path \(folder)/uwsgi;
      scgi_temp_path \(folder)/scgi;
      types { audio/mpeg mp3; }
      root \(folder)/files;
      gzip_types audio/mpeg;
      gzip_min_length 1;
      server {
        listen 127.0.0.1:\(port);
        include \(folder)/configuration.manners;
      }
      server {
        listen 127.0.0.1:\(securePort) ssl http2;
        ssl_certificate \(certificate);
        ssl_certificate_key \(key);
        include \(folder)/configuration.manners;
      }
    }
    """
  }

  /// For nginx: the configuration of each folder.
  var nginxManners: String {
    """
    location /quick/ { }
    location /quickgzip/ { gzip on; }
    location /limited/ { limit_rate \(kibibytes)k; }
    location /rangeless/ { limit_rate \(kibibytes)k; max_ranges 0; }
    location /gzip/ { limit_rate \(kibibytes)k; gzip on; }
    location /basic/ { auth_basic "\(RealServer.Guard.realm)"; auth_basic_user_file \(folder)/passwords; }
    \(elsewhere.map { "location /away/ { return 302 \($0); }" } ?? "")
    """
  }

  /// Writes the servers' files of names and passwords.
  func writePasswords() throws {
    let (user, password, realm) = (RealServer.Guard.user, RealServer.Guard.password, RealServer.Guard.realm)
    let hash = Data(MessageDigest.digest(of: password.utf8, .sha1)).base64EncodedString()
    let digest = MessageDigest.digestText(of: "\(user):\(realm):\(password)".utf8, .md5)
    for (name, text) in [
      ("passwords", "\(user):{SHA}\(hash)\n"), ("digests", "\(user):\(realm):\(digest)\n"),
    ] {
      let path = folder + "/" + name
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      // The servers' workers run as another user.
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    }
  }

  private static let apacheModules = [
    "mpm_event", "authz_core", "authz_user", "authn_core", "authn_file", "auth_basic", "auth_digest", "alias", "mime",
    "env", "filter", "deflate", "ratelimit", "ssl", "http2",
  ]

  /// For Apache 2.4.
  var apache: String {
    """
    ServerRoot \(folder)
    ServerName localhost
    DefaultRuntimeDir \(folder)
    PidFile \(folder)/pid
    ErrorLog \(folder)/errors
    User www-data
    Group www-data
    \(Self.apacheModules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n"))
    LogFormat "%U|%{Range}i|%{If-Range}i|%>s|%H|%{Authorization}i" fields
    CustomLog \(folder)/requests fields
    TypesConfig /dev/null
    AddType audio/mpeg .mp3
    DocumentRoot \(folder)/files
    <Directory \(folder)/files>
      Require all granted
    </Directory>
    <Location /quickgzip/>
      SetOutputFilter DEFLATE
    </Location>
    <Location /limited/>
      SetOutputFilter RATE_LIMIT
      SetEnv rate-limit \(kibibytes)
    </Location>
    <Location /rangeless/>
      SetOutputFilter RATE_LIMIT
      SetEnv rate-limit \(kibibytes)
      MaxRanges none
    </Location>
    <Location /gzip/>
      SetOutputFilter RATE_LIMIT;DEFLATE
      SetEnv rate-limit \(kibibytes)
    </Location>
    <Location /basic/>
      AuthType Basic
      AuthName "\(RealServer.Guard.realm)"
      AuthUserFile \(folder)/passwords
      Require valid-user
    </Location>
    <Location /digest/>
      AuthType Digest
      AuthName "\(RealServer.Guard.realm)"
      AuthUserFile \(folder)/digests
      Require valid-user
    </Location>
    \(elsewhere.map { "Redirect 302 /away/ \($0)&from=" } ?? "")
    Listen 127.0.0.1:\(port)
    Listen 127.0.0.1:\(securePort)
    <VirtualHost 127.0.0.1:\(securePort)>
      Protocols h2 http/1.1
      SSLEngine on
      SSLCertificateFile \(certificate)
      SSLCertificateKeyFile \(key)
    </VirtualHost>
    """
  }
}
