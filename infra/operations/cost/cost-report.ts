import { type Report, tableOf } from '../../command-line/report.ts'
import { assumed, estimate, type Mix, type SetUp, setUps } from './estimate.ts'

/** Months of several sizes, as a table in Markdown. */
export const reportMonths = (mix: Mix, of = setUps): Report => {
  const months = [1e5, 1e6, 1e7, 1e8].map((requests) => ({
    requests,
    dollars: Object.entries(of).map(([name, config]) => [name, estimate(requests, mix, config).dollars] as const),
  }))
  const rows = [
    ['requests a month', ...Object.keys(of).map((name) => `\`${name}\``)],
    ['---:', ...Object.keys(of).map(() => '---:')],
    ...months.map(({ requests, dollars }) => [count(requests), ...dollars.map(([, sum]) => money(sum))]),
  ]
  return {
    json: { months: months.map((one) => ({ ...one, dollars: Object.fromEntries(one.dollars) })) },
    text: rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
  }
}

/** One month, line by line, with what is assumed. */
export const reportMonth = (requests: number, setUp: SetUp, mix: Mix): Report => {
  const { lines, dollars } = estimate(requests, mix, setUps[setUp])
  const rows = lines.map((line) => [
    ...[line.service, line.what, count(line.units).padStart(11)],
    `x $${line.tiers[0]?.[1]}${line.per === 1 ? '' : ` / ${count(line.per)}`}`,
    money(line.dollars).padStart(10),
  ])
  const unverified = lines.filter(({ asOf }) => asOf === 'unverified').map(({ service, what }) => `${service} ${what}`)
  const text = `${tableOf(rows)}

Total ${money(dollars)} for ${count(requests)} requests to ${setUp}, by list prices of us-east-1, without any free tier.

Assumed, not measured on AWS: runs of ${assumed.authorizerSeconds * 1_000} ms for the authorizer, ${assumed.operationSeconds * 1_000} ms for an operation and ${assumed.gatewayKeysSeconds} s for gateway-keys; ${assumed.keys} keys that share the
requests evenly, the most expensive case; ${count(assumed.pets)} pets before the month; pages of 20, half of them of one status;
half of the creations with an Idempotency-Key; refused requests charged like others. Not in it: the API reference, log
queries, notifications, support, tax.

Prices that were not read on a page of AWS: ${unverified.join(', ')}.
infra/operations/cost/prices.ts names the pages. Compare the prices with them, and the estimate with your bill.`
  return { json: { environment: setUp, requests, mix, assumed, lines, dollars }, text }
}

const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 })

const money = (dollars: number): string => dollars.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
