import { describe, expect, it } from 'vitest'
import { defaults } from '../../../../../infra/environments.ts'
import { reportCost } from '../../../../../infra/operations/cost/cost-report.ts'
import { inventory, workload } from './workloads.ts'

const setUp = (name: string) => ({ name, environment: 'production', config: defaults.production }) as const
const deployed = inventory({ firewallLists: 1, firewallRules: 1 })
const command = { setUps: [setUp('production')], requests: 1e6, json: false, workload: workload({ keys: 10 }) }

const report = () => reportCost(command, [deployed])

describe('the cost report', () => {
  it('says what is assumed, and that no free tier is in it', () => {
    const { text, json } = report()
    expect(text).toContain('without any free tier')
    expect(text).toContain('not measured')
    expect(json['assumptions']).not.toHaveLength(0)
    for (const assumption of Object.values(json['assumptions'] ?? [])) expect(text).toContain(`  - ${assumption}\n`)
  })

  it('names on one line the prices that were not read on a page of AWS, and no other', () => {
    const line = report()
      .text.split('\n')
      .filter((one) => one.startsWith('Unverified prices'))
    expect(line).toHaveLength(1)
    expect(line[0]).toContain('WAF rules')
    expect(line[0]).not.toContain('API Gateway')
  })

  it('gives scripts the same, with the date and the source of each price', () => {
    const { json, text } = report()
    expect(json['items']).toContainEqual(
      expect.objectContaining({ service: 'API Gateway', units: 1_000_000, dollars: 3.5, asOf: '2026-06' }),
    )
    expect(json['items']).toContainEqual(expect.objectContaining({ service: 'WAF', asOf: 'unverified' }))
    for (const item of Object.values(json['items'] ?? [])) {
      expect(item.source).toMatch(/^https:\/\/(docs\.)?aws\.amazon\.com\//)
      expect(text).toContain(item.what)
    }
  })

  it('shows set-ups side by side, with what only one of them has', () => {
    const setUps = [...command.setUps, setUp('production,size=small')]
    const { text, json } = reportCost({ ...command, setUps }, [deployed, inventory()])
    for (const row of [
      '|  | `production` | `production,size=small` |',
      '| WAF rules | $1.00 | $0.00 |',
      '| of which without any request | $6.00 | $0.00 |',
    ])
      expect(text.split('\n')).toContain(row)
    expect(json).toMatchObject({ environment: 'production', compared: [{ environment: 'production,size=small' }] })
  })
})
