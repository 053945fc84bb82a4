interface ProxyPlace {
  readonly port: number
  readonly secret: string
  /** Hosts that programs connect to themselves: this machine, where a command has servers of its own. */
  readonly own: readonly string[]
}

export const loopback: readonly string[] = ['localhost', '127.0.0.1', '::1']

/** What makes programs connect by the proxy. */
export function proxyVariables({ port, secret, own }: ProxyPlace): Readonly<Record<string, string>> {
  const direct = own.join(',')
  const http = `http://vitrine:${secret}@127.0.0.1:${port}`
  return {
    // Lower case: curl reads http_proxy only so, because of CGI.
    HTTP_PROXY: http,
    HTTPS_PROXY: http,
    http_proxy: http,
    https_proxy: http,
    // Not SOCKS: httpx and others prepare every proxy that is named, and fail without their package for SOCKS.
    ALL_PROXY: http,
    all_proxy: http,
    // Other exceptions would be refused.
    NO_PROXY: direct,
    no_proxy: direct,
    npm_config_proxy: http,
    npm_config_https_proxy: http,
    npm_config_noproxy: direct,
    CARGO_HTTP_PROXY: http,
    PIP_PROXY: http,
    NODE_USE_ENV_PROXY: '1',
    JAVA_TOOL_OPTIONS: javaOptions(port, own),
  }
}

/** The JDK has no property for the secret: the proxy recognizes its sockets. */
function javaOptions(port: number, own: readonly string[]): string {
  const place = (scheme: string) => `-D${scheme}.proxyHost=127.0.0.1 -D${scheme}.proxyPort=${port}`
  return `${place('http')} ${place('https')} -Dhttp.nonProxyHosts=${own.map((host) => (host.includes(':') ? `[${host}]` : host)).join('|')}`
}
