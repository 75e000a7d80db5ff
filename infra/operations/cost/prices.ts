/** From how many units of a month on each of them has which price in US dollars. */
type Tiers = Readonly<Record<number, number>>

/** Lines of the bill of one service, whose prices AWS publishes on one page. */
const of =
  (service: string, page: string) =>
  /** @param asOf the month as of which the price was read there; missing where it was not */
  (what: string, units: number, price: number | Tiers, asOf?: `20${number}-${number}`) => {
    const tiers = typeof price === 'number' ? { 0: price } : price
    return { service, what, units, tiers, dollars: charge(tiers, units), source: `https://${page}`, asOf }
  }

/** Each tier changes the price of all units from there on. */
const charge = (tiers: Tiers, units: number): number => {
  let dollars = 0
  let before = 0
  for (const [from, price] of Object.entries(tiers)) {
    dollars += Math.max(0, units - Number(from)) * (price - before)
    before = price
  }
  return dollars
}

export const gateway = of(
  'API Gateway',
  'docs.aws.amazon.com/whitepapers/latest/best-practices-api-gateway-private-apis-integration/cost-optimization.html',
)
export const lambda = of('Lambda', 'aws.amazon.com/lambda/pricing/')
export const tables = of('DynamoDB', 'aws.amazon.com/dynamodb/pricing/')
export const onDemand = of('DynamoDB', 'aws.amazon.com/dynamodb/pricing/on-demand/')
export const watch = of('CloudWatch', 'aws.amazon.com/cloudwatch/pricing/')
export const xray = of('X-Ray', 'aws.amazon.com/xray/pricing/')
export const firewall = of('WAF', 'aws.amazon.com/waf/pricing/')
export const transfer = of('Data transfer', 'aws.amazon.com/ec2/pricing/on-demand/')
