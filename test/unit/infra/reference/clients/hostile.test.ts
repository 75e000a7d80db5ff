import { createServer } from 'node:https'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { drivers } from './drivers.ts'
import {
  dripHandshake,
  endlessServers,
  lyingServers,
  startHostileServer,
  untrustedCertificate,
  untrustedKey,
  wrongServers,
} from './hostile-servers.ts'

const apiKey = 'pet_test_of_a_hostile_server'

/** Time limit of a client. Many requests end only with it. */
const timeoutSeconds = 0.2

// A client without limits would not end, and the time limit of the test would end it.
describe.each(drivers)('the $language client', ({ drive, stop }) => {
  afterAll(stop)

  it.each(endlessServers)('a request to a server that $behaviour times out', async (hostileServer) => {
    const server = await startHostileServer(hostileServer)

    const report = await drive({
      options: { baseUrl: server.baseUrl, apiKey, attempts: 1, timeoutSeconds },
      calls: [{ page: {} }],
    })

    expect(report.outcomes).toMatchObject([{ error: { code: 'timed_out', status: null } }])
    // On a busy machine the time may be over before the server reads the request.
    expect(server.requests.length).toBeLessThanOrEqual(1)
  })

  it.each(lyingServers)('a request to a server that $behaviour fails', async (hostileServer) => {
    const server = await startHostileServer(hostileServer)

    const report = await drive({
      options: { baseUrl: server.baseUrl, apiKey, attempts: 1, timeoutSeconds },
      calls: [{ page: {} }],
    })

    expect(report.outcomes).toMatchObject([
      { error: { code: expect.stringMatching(/^(timed_out|connection_failed|unexpected_response)$/) } },
    ])
    // On a busy machine the time may be over before the server reads the request.
    expect(server.requests.length).toBeLessThanOrEqual(1)
  })

  it.each(wrongServers)('the response of a server that $behaviour is unexpected', async (hostileServer) => {
    const server = await startHostileServer(hostileServer)

    const report = await drive({ options: { baseUrl: server.baseUrl, apiKey }, calls: [{ page: {} }] })

    expect(report.outcomes).toMatchObject([{ error: { code: 'unexpected_response' } }])
    expect(server.requests).toHaveLength(1)
  })

  it('a TLS handshake that drips times out', async () => {
    const server = await startHostileServer({ behaviour: 'drips a TLS handshake', respond: dripHandshake })
    const baseUrl = server.baseUrl.replace('http:', 'https:')

    const report = await drive({
      options: { baseUrl, apiKey, attempts: 1, timeoutSeconds },
      calls: [{ page: {} }],
    })

    expect(report.outcomes).toMatchObject([{ error: { code: 'timed_out' } }])
  })

  it('a server whose certificate is not trusted gets no request', async () => {
    const server = createServer({ key: untrustedKey, cert: untrustedCertificate })
    const requests: unknown[] = []
    server.on('request', (request) => requests.push(request))
    onTestFinished(() => {
      server.close()
    })
    const baseUrl = `https://127.0.0.1:${await listen(server, 0)}/v1`

    const report = await drive({ options: { baseUrl, apiKey }, calls: [{ page: {} }] })

    expect(report.outcomes).toMatchObject([{ error: { code: 'certificate_refused' } }])
    expect(report.waits).toEqual([])
    expect(requests).toEqual([])
  })
})
