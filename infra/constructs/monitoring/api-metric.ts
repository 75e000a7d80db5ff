import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { stageName } from '../../contract/contract.ts'
import { oneMinute } from './service-alarm.ts'

/**
 * One of API Gateway's own metrics. By the names of API and stage, not by reference: an alarm that rolls
 * functions back would wait for the stage, and the stage for the functions.
 */
export const apiMetric = (apiName: string, metricName: 'Count' | 'Latency', statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiName: apiName, Stage: stageName },
    statistic,
    period: oneMinute,
  })
