import { describe, expect, it } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { environments, presets } from '../../../../../infra/environments.ts'
import { readCostCommand } from '../../../../../infra/operations/cost/cost-command.ts'

const read = (line: string) => readCostCommand(line.split(' ').filter((word) => word !== ''))

describe('the cost command', () => {
  it('takes the requests of a month, what they are, and set-ups with their options', () => {
    const production = { name: 'production,size=small,tracing=on', environment: 'production' }
    expect(
      read(
        `--requests 1e6 --mix list=0.6,get=0.1,create=0.1,refused=0.1,unauthorized=0.1 --env staging --compare ${production.name} --compare staging --json`,
      ),
    ).toMatchObject({
      setUps: [
        { name: 'staging', environment: 'staging', config: environments.staging },
        { ...production, config: { ...environments.production, ...presets.small, tracing: true } },
        { name: 'staging' },
      ],
      requests: 1_000_000,
      json: true,
      workload: { mix: { list: 0.6, get: 0.1, create: 0.1, refused: 0.1, unauthorized: 0.1 } },
    })
  })

  it.each([
    ['--requests 0', '--requests'],
    ['--requests many', '--requests'],
    ['--requests 1e6 --mix list=0.7,get=0.2', 'add up to 1, but add up to 0.9'],
    ['--requests 1e6 --mix list=1,list=0', '--mix'],
    ['--requests 1e6 --mix list=1,delete=0', '--mix'],
    ['--requests 1e6 --mix list=2,get=-1', '--mix'],
    ['--compare production,size', '--compare'],
    ['--compare production,size=small=tiny', '--compare'],
    ['--requests 1e6 --unfiltered 1.1', '--unfiltered'],
    ['--requests 1e6 --page 101', '--page'],
    ['--requests 1e6 --keys 0', '--keys'],
    ['--requests 1e6 --authorizer-ms 0', '--authorizer-ms'],
    ['--requests 1e6 --operation-ms 30000', '--operation-ms'],
  ])('refuses "%s" and names %s', (line, named) => {
    expect(() => read(line)).toThrow(UserError)
    expect(() => read(line)).toThrow(named)
  })
})
