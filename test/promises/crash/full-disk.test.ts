import { type ChildProcess, execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { demoKeys } from '../../../infra/local/samples/demo-keys.ts'
import { checkResponse } from '../../fixtures/check-response.ts'
import { spawnEnvironment, startEnvironment } from '../../fixtures/environment-process.ts'
import { sized } from '../../fixtures/size.ts'
import { temporaryFolder } from '../../unit/infra/local/fixtures.ts'
import { enginesHere } from './engines.ts'
import { addPet, bearer, idOf } from './load.ts'

const folder = temporaryFolder()
const apiKey = demoKeys('pet_test_').at(-1)?.apiKey ?? ''

/** A disk of its own for one process: a file system in memory, in a mount namespace, which asks for no rights. */
const onDiskOf = (size: string, at: string): readonly string[] => [
  'unshare',
  '--user',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o size=${size} tmpfs ${at} && exec "$@"`,
  'sh',
]

const canMount = (): boolean => {
  const at = join(folder, 'trial')
  mkdirSync(at)
  const [command = '', ...words] = [...onDiskOf('64k', at), 'true']
  try {
    execFileSync(command, words, { stdio: 'ignore' })
    return true
  } catch {
    // Also unseen in continuous integration: whether a kernel allows it is not for this project to install.
    console.log('A full disk is not tested: this machine allows no mount namespace (Linux, unshare --user --mount).')
    return false
  }
}

const mounts = canMount()

/** Where the test sees the disk of the process. */
const rootOf = ({ pid }: ChildProcess): string => `/proc/${pid}/root`

/** Takes all the space that is left, to the last block. */
const fill = (file: string): void => {
  const target = openSync(file, 'w')
  for (const size of [1024 * 1024, 4096]) {
    try {
      for (;;) writeSync(target, Buffer.alloc(size))
    } catch {
      // Full, for pieces of this size.
    }
  }
  closeSync(target)
}

const databaseLines = (terminal: string): string[] =>
  terminal.split('\n').filter((line) => line.startsWith('[database]'))

describe.skipIf(!mounts)('On a full disk', () => {
  test.each(sized(['1m'], ['16k', '1m']))('a start ends with what to do (%s)', async (size) => {
    const dataFolder = join(folder, `start-${size}`)
    mkdirSync(dataFolder)
    const { terminal, ended } = spawnEnvironment({ dataFolder, within: onDiskOf(size, dataFolder) })
    expect(await ended).toBe(1)
    expect(terminal()).toMatch(/disk is full/i)
    expect(terminal()).toMatch(/free some space/i)
    expect(terminal()).not.toMatch(/^\s+at /m)
  })

  test.each(enginesHere)(
    '%s refuses what it cannot keep, loses nothing, and goes on when there is space',
    async (engine) => {
      const dataFolder = join(folder, engine)
      mkdirSync(dataFolder)
      const within = onDiskOf('256m', dataFolder)
      await using running = await startEnvironment({ dataFolder, engine, within, seenFrom: rootOf })
      const { baseUrl, child, terminal } = running
      const kept = new Set<number>()
      const add = async (): Promise<number> => {
        const response = await addPet(baseUrl, apiKey)
        const seen = { status: response.status, headers: response.headers, text: await response.clone().text() }
        expect(checkResponse('POST', '/pets', seen)).toEqual([])
        if (response.status === 201) kept.add(await idOf(response))
        return response.status
      }
      expect(await add()).toBe(201)

      const filler = join(rootOf(child) + dataFolder, 'filler')
      fill(filler)
      await expect.poll(add).not.toBe(201)
      for (let request = 0; request < 10; request += 1) expect([201, 500, 503]).toContain(await add())
      await expect.poll(() => databaseLines(terminal()).at(-1)).toMatch(/full.*free some space/)

      rmSync(filler)
      await expect.poll(add).toBe(201)
      await expect.poll(() => databaseLines(terminal())).toHaveLength(2)
      const list = await fetch(`${baseUrl}/pets?limit=100`, { headers: bearer(apiKey) })
      const pets: { id: number }[] = JSON.parse(await list.text())
      expect(kept.isSubsetOf(new Set(pets.map(({ id }) => id)))).toBe(true)
      child.kill('SIGTERM')
      expect(await running.ended).toBe(0)
    },
  )
})
