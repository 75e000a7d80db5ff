import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { requireJava } from '../../../../../infra/local/database/dynamodb-local.ts'
import { temporaryFolder } from '../fixtures.ts'

const folder = temporaryFolder()

describe('DynamoDB Local says in a sentence', () => {
  afterEach(() => vi.unstubAllEnvs())

  test('that Java is missing', async () => {
    vi.stubEnv('PATH', join(folder, 'empty'))
    await expect(requireJava()).rejects.toThrow('needs Java 17 or newer on the PATH; there is none.')
  })

  test.skipIf(process.platform === 'win32')('that Java is too old', async () => {
    writeFileSync(join(folder, 'java'), '#!/bin/sh\necho \'openjdk version "1.8.0_402"\' >&2\n', { mode: 0o755 })
    vi.stubEnv('PATH', [folder, '/usr/bin', '/bin'].join(delimiter))
    await expect(requireJava()).rejects.toThrow('there is Java 8.')
  })
})
