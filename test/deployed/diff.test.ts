import { expect, it } from 'vitest'
import policy from '../../infra/commands/release-check-policy.json' with { type: 'json' }
import { startProxy } from '../fixtures/machine/proxy.ts'
import { diff } from './emulator/cdk.ts'
import { startRecorder } from './emulator/recorder.ts'
import { emulatorUrl, isDeployed } from './environments.ts'

/** Response of AWS to a call that the role of the caller does not allow. */
const accessDenied = {
  status: 403,
  headers: ['Content-Type', 'text/xml'],
  body: Buffer.from(
    '<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>No.</Message></Error></ErrorResponse>',
  ),
}

it.skipIf(!isDeployed)(
  'cdk diff shows what a release changes with the permissions of production-smoke alone',
  async () => {
    await using recorder = await startRecorder(emulatorUrl)
    // The role of production-smoke may not assume the roles of CDK, which could read the tables too.
    await using proxy = await startProxy(recorder.endpoint, async (request, forward) => {
      const isAssumption = request.body.toString().includes('Action=AssumeRole')
      return isAssumption ? accessDenied : forward(request)
    })

    const text = await diff('changed', proxy.endpoint, 'production/*')

    // The changed version has no firewall and no dashboard.
    expect(text).toContain('[-] AWS::WAFv2::WebACL')
    expect(text).toContain('[-] AWS::CloudWatch::Dashboard')
    const usedActions = new Set(recorder.permissions.map(({ action }) => action))
    const allowedActions = policy.Statement.flatMap(({ Action }) => Action)
    expect(allowedActions).toEqual(expect.arrayContaining([...usedActions]))
    expect([...usedActions].toSorted()).toEqual(['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'])
  },
)
