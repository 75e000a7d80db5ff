import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findLocalKeys } from '../../../infra/operations/keys/local-keys.ts'
import { startEnvironment } from '../../fixtures/environment-process.ts'
import { sized } from '../../fixtures/size.ts'
import { temporaryFolder } from '../../unit/infra/local/fixtures.ts'
import { issueKey, petWriters, writeAll } from './load.ts'

const folder = temporaryFolder()

/** A request that has begun, and is complete when the test says so. */
const beginToAddPet = async (port: number, apiKey: string) => {
  const body = '{"name":"Late","categoryId":1}'
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let response = ''
  socket.on('data', (chunk) => {
    response += chunk
  })
  const closed = once(socket, 'close')
  const head = `Host: a\r\nContent-Type: application/json\r\nAuthorization: Bearer ${apiKey}\r\nContent-Length: ${body.length}`
  socket.write(`POST /v1/pets HTTP/1.1\r\n${head}\r\n\r\n${body.slice(0, 5)}`)
  return {
    complete: async (): Promise<string> => {
      socket.write(body.slice(5))
      await closed
      return response.split('\r\n', 1)[0] ?? ''
    },
  }
}

describe('A local environment under load', () => {
  test.each(sized(['SIGINT'] as const, ['SIGINT', 'SIGTERM'] as const))(
    'responds to what it has begun and ends on %s',
    async (signal) => {
      const dataFolder = join(folder, 'data')
      await using running = await startEnvironment({ dataFolder })
      const { apiKey } = await issueKey(await findLocalKeys(dataFolder), 'load')
      const load = await writeAll(running.baseUrl, dataFolder, apiKey)
      await load.reach(20)
      const begun = await Promise.all(Array.from({ length: 4 }, () => beginToAddPet(running.environment.port, apiKey)))
      // What is acknowledged from now on was read after the beginnings.
      await load.reach(20)

      running.child.kill(signal)
      expect(await Promise.all(begun.map(({ complete }) => complete()))).toEqual(
        begun.map(() => 'HTTP/1.1 201 Created'),
      )
      const failures = await load.end()
      expect(await running.ended, running.terminal()).toBe(0)
      // A request may meet a connection that is just being closed for being idle; the others find nobody listening.
      const cutOff = failures.filter((failure) => failure !== 'ECONNREFUSED')
      expect(cutOff.filter((failure) => failure !== 'UND_ERR_SOCKET' && failure !== 'ECONNRESET')).toEqual([])
      expect(cutOff.length, String(failures)).toBeLessThan(petWriters / 2)
      expect(running.terminal()).not.toMatch(/^\s+at /m)
    },
  )
})
