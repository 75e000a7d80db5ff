import { type ChildProcess, execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { demoKeys } from '../../../infra/local/demo-keys.ts'
import { spawnEnvironment, startEnvironment } from '../../fixtures/environment-process.ts'
import { temporaryFolder } from '../../unit/infra/local/fixtures.ts'

const folder = temporaryFolder()
const headers = {
  authorization: `Bearer ${demoKeys('pet_test_').at(-1)?.apiKey}`,
  'content-type': 'application/json',
}

/** A disk of its own for one process: a file system in memory, in a mount namespace, which asks for no rights. */
const onDisk = (options: string, at: string): readonly string[] => [
  ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'],
  `mount -t tmpfs -o ${options} tmpfs ${at} && exec "$@"`,
  'sh',
]

const canMount = (): boolean => {
  const [command = '', ...words] = [...onDisk('size=64k', folder), 'true']
  try {
    execFileSync(command, words, { stdio: 'ignore' })
    return true
  } catch {
    // Also unseen in continuous integration: whether a kernel allows it is not for this project to install.
    console.log('A full disk is not tested: this machine allows no mount namespace (Linux, unshare --user --mount).')
    return false
  }
}

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

describe.skipIf(!canMount())('On a disk of its own', () => {
  test.each([
    ['full', 'size=16k', /free some space if its disk is full/],
    ['read-only', 'ro', /^The folder .* cannot be used \(EROFS: .*\)\. Choose another with --data\.\n$/],
  ])('a start ends with what to do: %s', async (name, options, sentence) => {
    const dataFolder = join(folder, name)
    mkdirSync(dataFolder)
    const { terminal, ended } = spawnEnvironment({ dataFolder, within: onDisk(options, dataFolder) })
    expect(await ended).toBe(1)
    expect(terminal()).toMatch(sentence)
    expect(terminal()).not.toMatch(/^\s+at /m)
  })

  test('an environment refuses what it cannot keep, loses nothing, and goes on when there is space', async () => {
    const dataFolder = join(folder, 'running')
    mkdirSync(dataFolder)
    const within = onDisk('size=16m', dataFolder)
    await using running = await startEnvironment({ dataFolder, within, seenFrom: rootOf })
    const { baseUrl, child, terminal } = running
    const kept: number[] = []
    const add = async (): Promise<number> => {
      const body = '{"name":"Bella","categoryId":1}'
      const response = await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body })
      if (response.status === 201) kept.push(JSON.parse(await response.text()).id)
      return response.status
    }
    expect(await add()).toBe(201)
    const filler = join(rootOf(child) + dataFolder, 'filler')
    fill(filler)
    await expect.poll(add).toBe(503)
    expect(terminal()).toContain('Is its disk full?')
    rmSync(filler)
    await expect.poll(add).toBe(201)
    const list = await fetch(`${baseUrl}/pets?limit=100`, { headers })
    const pets: { id: number }[] = JSON.parse(await list.text())
    expect(pets.map(({ id }) => id)).toEqual(expect.arrayContaining(kept))
    expect(await running.stop()).toBe(0)
  })
})
