import { describe, expect, it } from 'vitest'
import { reportCost } from '../../../../../infra/operations/cost/cost-report.ts'
import { estimate, usageOf } from '../../../../../infra/operations/cost/estimate.ts'
import { inventory, workload } from './workloads.ts'

const report = () => {
  const command = { environment: 'production', tracing: false, json: false, workload: workload({ keys: 10 }) } as const
  const deployed = inventory({ firewallLists: 1, firewallRules: 1 })
  return reportCost(command, deployed, estimate(usageOf(command.workload, deployed), command.workload.requests))
}

describe('the cost report', () => {
  it('shows for each service units, price and cost, and the total', () => {
    const { text, json } = report()
    const items: { what: string }[] = Object.values(json['items'] ?? [])
    for (const { what } of items)
      expect(text).toMatch(new RegExp(`${what} +[\\d,.]+ x \\$[\\d.].* +\\$[\\d,]+\\.\\d\\d\n`))
    expect(text).toMatch(/API Gateway +REST API requests +1,000,000 x \$3\.5 \/ 1,000,000 +\$3\.50\n/)
    expect(text).toMatch(/WAF +requests inspected +1,000,000 x \$0\.6 \/ 1,000,000 +\$0\.60\n/)
    expect(text).toMatch(/Total \$[\d.]+, of which \$6\.00 without any request; \$[\d.]+ per million requests/)
  })

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
})
