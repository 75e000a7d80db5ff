import { describe, expect, it } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { readSeedCommand } from '../../../../../infra/operations/seed/seed-command.ts'

const read = (line: string) => readSeedCommand(line.split(' ').filter((word) => word !== ''))

describe('the seed command', () => {
  it('seeds the local environment as fast as it takes it', () => {
    expect(read('--env local --count 500 --data elsewhere --json')).toEqual({
      target: { environment: 'local', data: 'elsewhere' },
      count: 500,
      rate: undefined,
      json: true,
    })
  })

  it('seeds staging at a rate that leaves room for callers, or at another', () => {
    expect(read('--env staging --count 10000000')).toMatchObject({ count: 10_000_000, rate: 1_000 })
    expect(read('--env staging --count 1 --rate 50')).toMatchObject({ rate: 50 })
  })

  it('seeds production only when that is confirmed by name', () => {
    expect(() => read('--env production --count 1')).toThrow('add --confirm production')
    expect(() => read('--env production --count 1 --confirm staging')).toThrow('--confirm staging')
    expect(read('--env production --count 1 --confirm production')).toMatchObject({
      target: { environment: 'production' },
    })
  })

  it.each([
    ['', '--env'],
    ['--env moon --count 5', '--env'],
    ['--env local', '--count'],
    ['--env local --count 0', '--count'],
    ['--env local --count 2.5', '--count'],
    ['--env local --count 10000001', '--count'],
    ['--env local --count 5 --rate fast', '--rate'],
    ['--env staging --count 5 --confirm production', '--confirm'],
    ['--env local --count 5 --bogus', 'bogus'],
    ['--env local --count 5 more', 'more'],
    ['--env local --count 5 --remove', '--remove'],
  ])('refuses "%s" and names %s', (line, named) => {
    expect(() => read(line)).toThrow(UserError)
    expect(() => read(line)).toThrow(named)
  })
})
