/// A secret that a client gives in an address.
extension Intent {
  /// The intent with the secret of a session of the kind `parameter` taken out of its addresses, and into its login:
  /// before its secret goes to the vault.
  ///
  /// The parameter is the one that the login names, or else the only one of the address that is known to be a token
  /// (`SecretParts.names`). Addresses of other hosts keep theirs: the session is not for them.
  ///
  /// - Throws: `Refusal` if it is not clear which parameter is meant.
  package func movingParameter() throws(Refusal) -> Intent {
    guard var login, login.wish.kind == .parameter else { return self }
    switch self {
    case .downloads(.enqueue(var wish)):
      (wish.address, wish.description.mirrors) = try login.takeParameter(from: wish.address, wish.description.mirrors)
      wish.session = .new(login)
      return .downloads(.enqueue(wish))
    case .downloads(.update(let id, var update)):
      guard let address = update.address else {
        // Where the download is is not known here; the secret itself is.
        guard let name = login.wish.parameter, case .text(let value)? = login.source else { return self }
        let secret = SecretParameter(name: name, value: value)
        update.mirrors = update.mirrors?.map { (try? WebAddress(secret.removed(from: $0.description))) ?? $0 }
        return .downloads(.update(id, update))
      }
      let (own, mirrors) = try login.takeParameter(from: address, update.mirrors ?? [])
      (update.address, update.mirrors) = (own, update.mirrors.map { _ in mirrors })
      update.session = .new(login)
      return .downloads(.update(id, update))
    case .podcasts(.subscribe(var wish)):
      wish.address = try login.takeParameter(from: wish.address, []).own
      wish.session = .new(login)
      return .podcasts(.subscribe(wish))
    case .podcasts(.update(let id, var update)):
      guard let address = update.address else { return self }
      update.address = try login.takeParameter(from: address, []).own
      update.session = .new(login)
      return .podcasts(.update(id, update))
    default: return self
    }
  }
}

extension Login {
  /// Takes the secret's parameter out of an address and its mirrors, and its value where no secret is given.
  fileprivate mutating func takeParameter(
    from address: WebAddress, _ mirrors: [WebAddress]
  ) throws(Refusal) -> (own: WebAddress, mirrors: [WebAddress]) {
    let parameters = QueryText.parameters(of: address.description)
    let name = if let parameter = wish.parameter { parameter } else { try Self.onlyToken(of: parameters) }
    wish.parameter = name
    let values = Set(parameters.filter { QueryText.name(of: $0) == name }.map { String(QueryText.value(of: $0)) })
    if source == nil, let value = values.first, !value.isEmpty {
      guard values.count == 1 else {
        throw Refusal(.invalidValue, "the address has several values of \(name); leave one", path: "payload.url")
      }
      source = .text(value)
    }
    return (address.without(name), mirrors.map { $0.host == address.host ? $0.without(name) : $0 })
  }

  private static func onlyToken(of parameters: [Substring.UTF8View]) throws(Refusal) -> String {
    let names = Set(parameters.filter(SecretParts.isToken).compactMap(QueryText.name))
    guard let name = names.first, names.count == 1, SecretParameter.isName(name) else {
      let what =
        names.isEmpty
        ? "the address has no parameter that is known as one" : "several parameters of the address may be it"
      throw Refusal(.missingField, "\(what); name the secret's in parameter", path: "payload.auth.parameter")
    }
    return name
  }
}

extension SessionChoice {
  /// An address that a row has, as it is with this session: without the parameter in whose place a new session's comes.
  func leaving(_ address: WebAddress) -> WebAddress {
    guard case .new(let login) = self, let name = login.wish.parameter else { return address }
    return address.without(name)
  }
}

extension WebAddress {
  /// The address without the parameters of a name.
  fileprivate func without(_ name: String) -> WebAddress {
    let text = QueryText.removing(from: description) { QueryText.name(of: $0) == name }
    guard let address = try? WebAddress(text) else { preconditionFailure("an address needs no parameter") }
    return address
  }
}
