import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { readShellBlocks } from '../../../../fixtures/commands/documented-commands.ts'
import { describeOnEachEngine } from '../../../../fixtures/database/engines.ts'
import { hasBash } from '../../../../fixtures/machine/programs.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'
import { noDeadline, openService, type Service } from '../../../../fixtures/service/service.ts'

/** Creates a folder with a stand-in for the AWS CLI. @returns the search path of a shell that finds it as `aws` */
const createSearchPath = (): string => {
  const folder = createTemporaryFolder()
  const program = join(folder, 'aws')
  const standIn = resolve('test/unit/infra/commands/keys/aws-stand-in.ts')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${standIn}" "$@"\n`)
  chmodSync(program, 0o755)
  return `${folder}${delimiter}${process.env['PATH']}`
}

const itWithBash = it.skipIf(!hasBash())

describeOnEachEngine('the script of last resort in the guide', (engine) => {
  let service: Service
  let apiKey: string
  let keyId: string

  beforeEach(async () => {
    service = await openService(engine)
    const issued = await service.keys.issue({ owner: 'Acme', plan: 'free', limits: fixedPlans.free })
    apiKey = issued.apiKey
    keyId = issued.record.keyId
  })

  /** Runs the script of the guide, and types a text as the key. */
  const runScript = (typedText: string) => {
    const [script = ''] = readShellBlocks('infra/RUNBOOK.md', 'Revoke a key without the commands')
    return spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script.replace('<name>', service.tables.apiKeys)], {
      input: `${typedText}\n`,
      encoding: 'utf8',
      env: { ...process.env, PATH: createSearchPath(), AWS_ENDPOINT_URL: engine.endpoint },
    })
  }

  itWithBash(
    'the script of last resort revokes a key and prints nothing, and a later "keys revoke" adds the time',
    async () => {
      const limiter = service.createLimiter()
      expect(await limiter.decide(hashApiKey(apiKey), noDeadline)).toMatchObject({ kind: 'admitted' })

      expect(runScript(apiKey)).toMatchObject({ status: 0, stdout: '', stderr: '' })

      // The next request is refused, also by an instance that has just admitted one.
      expect(await limiter.decide(hashApiKey(apiKey), noDeadline)).toEqual({ kind: 'invalid' })
      expect(await service.keys.show(keyId)).toMatchObject({ state: 'revoked', owner: 'Acme' })

      await service.keys.revoke(keyId)
      expect(await service.keys.show(keyId)).toMatchObject({ revokedAt: service.time.clock() / 1_000 })
    },
  )

  itWithBash('the script of last resort fails for a text that is no key of the table, and adds no item', async () => {
    const before = await service.keys.list()

    const { status, stderr } = runScript(`${apiKey}0`)

    expect(status).not.toBe(0)
    expect(stderr).toContain('ConditionalCheckFailedException')
    expect(await service.keys.list()).toEqual(before)
  })
})
