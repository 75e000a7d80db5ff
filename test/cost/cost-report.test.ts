import { describe, expect, it } from 'vitest'
import { reportCost } from '../../infra/cost/cost-report.ts'
import { estimate, usageOf } from '../../infra/cost/estimate.ts'
import { inventory, workload } from './workloads.ts'

const report = () => {
  const command = { environment: 'production', tracing: false, json: false, workload: workload({ keys: 10 }) } as const
  const deployed = inventory({ firewallLists: 1, firewallRules: 1 })
  return reportCost(command, deployed, estimate(usageOf(command.workload, deployed), command.workload.requests))
}

describe('the cost report', () => {
  it('shows for each service units, price and cost, and the total', () => {
    const { text } = report()
    expect(text).toMatch(/API Gateway +REST API requests +1,000,000 x \$3\.5 \/ 1,000,000 +\$3\.50\n/)
    expect(text).toMatch(/WAF +requests inspected +1,000,000 x \$0\.6 \/ 1,000,000 +\$0\.60\n/)
    expect(text).toMatch(/Total \$[\d.]+, of which \$6\.00 without any request; \$[\d.]+ per million requests/)
  })

  it('says what is assumed, that no free tier is in it, and as of when the prices are known', () => {
    const { text } = report()
    expect(text).toContain('without any free tier')
    expect(text).toContain('not measured')
    expect(text).toMatch(/known as of 20\d\d-\d\d or later/)
  })

  it('gives scripts the same, with the date and the source of each price', () => {
    const { json } = report()
    expect(json['items']).toContainEqual(
      expect.objectContaining({ service: 'API Gateway', units: 1_000_000, dollars: 3.5, asOf: '2026-06' }),
    )
    expect(json['assumptions']).not.toHaveLength(0)
  })
})
