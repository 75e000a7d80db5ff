import { createServer, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'

/** Starts a proxy that refuses each request and each tunnel, because it wants a password. */
export const startRefusingProxy = async () => {
  let requests = 0
  const proxy = createServer((_request, response: ServerResponse) => {
    requests += 1
    response.writeHead(407).end()
  })
  proxy.on('connect', (_request, socket) => {
    requests += 1
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')
  })
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${await listen(proxy, 0)}`, countRequests: () => requests }
}
