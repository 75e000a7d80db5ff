import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { spawnEnvironment } from '../../fixtures/environment-process.ts'
import { skips } from '../../fixtures/size.ts'
import { temporaryFolder } from '../../unit/infra/local/fixtures.ts'

const folder = temporaryFolder()

/** A disk of its own for one process: a file system in memory, in a mount namespace, which asks for no rights. */
const onDisk = (options: string, at: string): readonly string[] => [
  ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'],
  `mount -t tmpfs -o ${options} tmpfs ${at} && exec "$@"`,
  'sh',
]

const [command = '', ...words] = [...onDisk('size=64k', folder), 'true']
// Also in continuous integration: whether a kernel allows it is not for this project to install.
const isSkipped = skips(
  spawnSync(command, words).status !== 0,
  'No full disk is tested: this machine allows no mount namespace (Linux, unshare --user --mount).',
)

test.skipIf(isSkipped).each([
  ['full', 'size=16k', /free some space if its disk is full/],
  ['read-only', 'ro', /^The folder .* cannot be used \(EROFS: .*\)\. Choose another with --data\.\n$/],
])('A start on a disk that is %s ends with what to do', async (name, options, sentence) => {
  const dataFolder = join(folder, name)
  mkdirSync(dataFolder)
  const { terminal, ended } = spawnEnvironment({ dataFolder, within: onDisk(options, dataFolder) })
  expect(await ended).toBe(1)
  expect(terminal()).toMatch(sentence)
  expect(terminal()).not.toMatch(/^\s+at /m)
})
