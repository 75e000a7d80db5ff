import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { emptyPage, pageWithLink } from './cases/case.ts'
import { hasPython, python, run } from './programs.ts'
import { portOf, relay } from './relay.ts'

const folder = fileURLToPath(new URL('../../../../../infra/reference/clients/python/', import.meta.url))

/** Lists the pets of an API that is reached through a proxy only, and prints them or the error. */
const list = (baseUrl: string, proxy: string): Promise<string> => {
  const code = `
from pet_adoption import PetAdoptionClient
try:
    print(list(PetAdoptionClient("${baseUrl}", "pet_live_secret", sleep=lambda seconds: None).pets()))
except OSError as error:
    print("lost")
`
  const environment = { http_proxy: proxy, https_proxy: proxy, no_proxy: '', NO_PROXY: '' }
  return run(python, ['-W', 'error', '-c', code], { folder, environment })
}

describe.skipIf(!hasPython())('the Python client through a proxy', () => {
  it('uses TLS in every attempt', async () => {
    const tunnelled: Buffer[] = []
    const proxy = createServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.once('data', (data) => {
          tunnelled.push(data)
          socket.destroy()
        })
      })
    })
    onTestFinished(() => {
      proxy.close()
    })
    expect(await list('https://api.example.org/v1', `http://127.0.0.1:${await portOf(proxy)}`)).toBe('lost\n')
    expect(tunnelled).toHaveLength(6)
    const tlsHandshake = 0x16
    expect(tunnelled.map(([first]) => first)).toEqual(Array(6).fill(tlsHandshake))
  })

  it('knows that an address with the default port is of the same origin', async () => {
    const proxy = await relay('http://127.0.0.1', (nth) =>
      nth === 1 ? pageWithLink('<http://API.example.org:80/v1/pets?cursor=a>; rel="next"') : emptyPage,
    )
    expect(await list('http://api.example.org/v1', proxy.origin)).toBe('[]\n')
    expect(proxy.seen).toHaveLength(2)
  })
})
